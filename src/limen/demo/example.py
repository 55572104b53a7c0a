"""The example log, so that a demonstration and the tests need nothing from outside."""

from importlib import resources


def example_log() -> bytes:
    """Give the example log: canonical JSON Lines, a few records of it deliberately bad."""
    return (resources.files("limen.demo") / "example.jsonl").read_bytes()
