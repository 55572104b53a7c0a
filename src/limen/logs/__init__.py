"""Conversation logs from outside: files, folders, globs and standard input, in any known format."""
