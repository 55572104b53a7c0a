"""A study folder: study.toml and the files beside it, read, written and checked."""
