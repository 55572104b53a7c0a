"""The protocols that come with Limen, a TOML file each."""
