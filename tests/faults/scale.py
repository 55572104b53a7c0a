"""How much of everything: the short form of scripts/test, or the full one of scripts/soak, which keeps the figures."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SOAK = bool(os.environ.get("LIMEN_SOAK"))

KILLS = 200 if SOAK else 15
POSTGRES_KILLS = 20 if SOAK else 3
WORKER_KILLS = 50 if SOAK else 5
SESSIONS = 100 if SOAK else 5
HALF_OPEN = 10_000 if SOAK else 1_000
REQUESTS = 100_000 if SOAK else 5_000


@contextmanager
def noted(what: str) -> Iterator[dict[str, object]]:
    """Keep what a test counted, when scripts/soak asks for it: only of those that passed."""
    figures: dict[str, object] = {"what": what}
    began = time.monotonic()
    yield figures
    file = os.environ.get("LIMEN_SOAK")
    if file:
        with Path(file).open("a") as result:
            result.write(json.dumps({**figures, "seconds": round(time.monotonic() - began, 1)}) + "\n")
