"""The study as pure functions from values to values: no files, no clock, no hidden dice."""
