"""Drift metrics that need something from outside: lexicons from files, embedding backends."""
