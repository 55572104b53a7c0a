"""What `limen --help` costs beside `python -c 'import pandas'`: user and system CPU, alternating, median of eleven."""

import json
import platform
import resource
import statistics
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

ROUNDS = 11
GOAL = 0.5


def cpu_seconds(command: Sequence[str]) -> float:
    """Run a command and give the CPU time that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - commands of this file
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(peers: str) -> int:
    """Measure, print, and write the result."""
    limen = str(Path(sys.executable).with_name("limen"))
    commands = {"limen --help": [limen, "--help"], "import pandas": [peers, "-c", "import pandas"]}
    for command in commands.values():
        cpu_seconds(command)  # warm the disk cache
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            times[name].append(cpu_seconds(command))
    medians = {name: statistics.median(values) for name, values in times.items()}
    ratio = medians["limen --help"] / medians["import pandas"]
    result = {
        "what": "CPU of `limen --help` over CPU of `python -c 'import pandas'`",
        "ratio": round(ratio, 3),
        "goal": GOAL,
        "median_cpu_s": {name: round(value, 3) for name, value in medians.items()},
        "rounds": ROUNDS,
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "date": datetime.now(UTC).date().isoformat(),
    }
    folder = Path(__file__).parent / "results"
    folder.mkdir(exist_ok=True)
    (folder / "startup.json").write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))  # noqa: T201 - it is what the benchmark is for
    return 0 if ratio <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
