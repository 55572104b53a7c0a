"""`python -m limen`."""

from limen.cli.main import run

run()
