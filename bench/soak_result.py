"""What scripts/soak counted, with date and machine, as bench/results/soak.json."""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from machine import RESULTS, describe

if __name__ == "__main__":
    figures = [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()]
    date = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    result = {"name": "soak", "date": date, "machine": describe(), "passed": figures}
    (RESULTS / "soak.json").write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n")
    print(json.dumps(result, indent=2, ensure_ascii=False))  # noqa: T201 - it is what was asked for
