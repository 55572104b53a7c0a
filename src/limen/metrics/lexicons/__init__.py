"""The lexicons that come with Limen, a TOML file each."""
