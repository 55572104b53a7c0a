"""The command line: a module a command, and the one place where the parts are put together."""
