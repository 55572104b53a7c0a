"""The use cases of a study. What they need from outside is in `ports`."""
