"""A study's data as files: the table of answers, summaries, analysis.json, and scripts that compute them again."""
