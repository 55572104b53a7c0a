"""Limen finds where people notice that an AI is no longer itself."""

__version__ = "0.1.0"
