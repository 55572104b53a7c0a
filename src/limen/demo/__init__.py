"""The embedded example study. Its conversations were written for demonstration; provider labels are placeholders."""
