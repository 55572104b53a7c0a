"""Simulated raters who take the survey as people do: over HTTP, or with the real page in a browser."""
