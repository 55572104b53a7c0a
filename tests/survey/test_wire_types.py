import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_types_of_the_page_are_made_from_the_wire() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    made = subprocess.run(
        [sys.executable, "scripts/wire-types", "--check"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
