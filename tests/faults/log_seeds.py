"""What fuzzing starts from: a log of every format, packed and unpacked, and the real ones where they lie beside us.

As a script it writes them into a folder, for scripts/soak.
"""

import gzip
import io
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

from limen.demo.example import example_log
from log_samples import RECORDS, a_dialogue, eval_file, sample_file

REAL = Path(__file__).parents[3] / "shared" / "data"


def seeds(most_bytes: int) -> dict[str, bytes]:
    """Give logs by name, none larger than so many bytes."""
    found = {name: content for name, content in _all() if len(content) <= most_bytes}
    assert len(found) >= len(RECORDS), "every format has one that is small enough"
    return found


def _all() -> Iterator[tuple[str, bytes]]:
    said = a_dialogue(replies=3, words=40)
    lines = example_log().splitlines(keepends=True)
    yield "example", b"".join(lines[:3])
    yield "example.gz", gzip.compress(b"".join(lines[:3]))
    for name in RECORDS:
        content = sample_file(name, said)
        yield name, content
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("conversations.json", content)
        yield f"{name}.zip", packed.getvalue()
    yield "mixed", b"".join(sample_file(name, said) for name in RECORDS if sample_file(name, said).count(b"\n") == 1)
    yield "sample.eval", eval_file([RECORDS["Inspect"](said)])
    for path in sorted(REAL.glob("*.json")) if REAL.is_dir() else ():
        yield f"real {path.name}", path.read_bytes()


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for number, content in enumerate(seeds(32_000).values()):
        (folder / f"seed-{number:03d}").write_bytes(content)
