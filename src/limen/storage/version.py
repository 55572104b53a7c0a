"""Which version of the tables this Limen works on."""

HEAD = "0002"
"""The newest migration."""
