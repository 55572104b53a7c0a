"""One module a log format. A module here that defines `FORMAT` is a known format; nothing else is to be touched."""
