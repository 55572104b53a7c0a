"""The log readers under a coverage-guided fuzzer: scripts/soak runs it in an environment that has atheris."""

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["limen.logs"]):
    from limen.errors import LogError
    from limen.logs.reading import LogFiles

FILE = Path(tempfile.mkdtemp(prefix="limen-fuzz-")) / "fuzzed.log"


def read(data: bytes) -> None:
    """Read whatever comes; anything but conversations, problems and a refusal ends the run."""
    FILE.write_bytes(data)
    try:
        for _ in LogFiles(names=[str(FILE)]).read():
            pass
    except LogError:
        pass


if __name__ == "__main__":
    atheris.Setup(sys.argv, read)
    atheris.Fuzz()
