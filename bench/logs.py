"""What reading logs costs: a gigabyte of canonical JSON Lines and a gigabyte of Parquet, on all cores.

`limen logs show` counts conversations, replies, words, models, providers and languages. Beside it, on the same file in
the same run: itself in one process; a plain loop (`json.loads` line by line, or pyarrow's `to_pylist` batch by batch)
that decodes and counts nothing; and polars, streaming, that counts conversations, replies and the words of replies.
The counts must agree. Each is a process of its own, alternating, the median of three rounds; memory is the highest sum
over the process and its children, sampled. A file of a quarter of the size tells whether memory grows with the file.
"""

import argparse
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import psutil
import pyarrow
import pyarrow.parquet

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "out" / "bench" / "logs"
MB = 1_000_000
ROUNDS = 3
ROWS = 1000

JSON_LOOP = """
import json, sys
n = 0
for line in open(sys.argv[1], "rb"):
    json.loads(line)
    n += 1
print(json.dumps({"conversations": n}))
"""
ARROW_LOOP = """
import json, sys
import pyarrow.parquet
n = 0
for batch in pyarrow.parquet.ParquetFile(sys.argv[1]).iter_batches(256, columns=["conversation", "model", "language"]):
    n += len(batch.to_pylist())
print(json.dumps({"conversations": n}))
"""
POLARS = """
import json, sys
import polars
path, turns, text = sys.argv[1:]
rows = polars.scan_parquet(path) if path.endswith(".parquet") else polars.scan_ndjson(path)
said = polars.col(turns)
replies = said.list.eval(polars.element().filter(polars.element().struct.field("role") == "assistant"))
words = replies.list.eval(polars.element().struct.field(text).str.count_matches(r"\\S+")).list.sum()
found = rows.select(
    conversations=polars.len(), replies=replies.list.len().sum(), words=words.sum()
).collect(engine="streaming")
print(json.dumps(found.to_dicts()[0]))
"""


class Texts:
    """Prose of made-up words; every text is another piece of it."""

    def __init__(self, seed: int = 7) -> None:
        self.chance = random.Random(seed)  # noqa: S311 - nothing secret
        syllables = [a + b for a in "bcdfglmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "is")]
        words = ["".join(self.chance.choices(syllables, k=self.chance.randint(1, 4))) for _ in range(30_000)]
        self.prose = " ".join(self.chance.choices(words, k=4_000_000))

    def some(self, low: int, high: int) -> str:
        """Give a text of so many characters."""
        start = self.chance.randrange(len(self.prose) - high)
        return self.prose[start : start + self.chance.randint(low, high)].strip()


def write_lines(path: Path, size: int, texts: Texts) -> None:
    """Write canonical JSON Lines of about so many bytes."""
    number = 0
    with path.open("wb") as file:
        while file.tell() < size:
            number += 1
            turns: list[dict[str, object]] = []
            for _ in range(texts.chance.randint(3, 8)):
                turns.append({"i": len(turns), "role": "user", "text": texts.some(20, 200)})
                drift = round(texts.chance.random(), 3)
                turns.append({"i": len(turns), "role": "assistant", "text": texts.some(200, 2400), "drift": drift})
            record = {
                "schema": "limen.conversation/1",
                "id": f"c{number}",
                "model": f"model-{number % 20}",
                "provider": "openai",
                "topic": None,
                "tags": {"language": "English"},
                "drift": {
                    "metric": "keyword-rms/s7",
                    "reference": "replies:1-1",
                    "range": [0, None],
                    "source": "recorded",
                },
                "turns": turns,
            }
            file.write(msgspec.json.encode(record) + b"\n")


def write_parquet(path: Path, size: int, texts: Texts) -> None:
    """Write rows in the shape of LMSYS-Chat-1M, about so many bytes, a thousand rows a group."""
    number, writer = 0, None
    while writer is None or path.stat().st_size < size:
        rows = []
        for _ in range(ROWS):
            number += 1
            said = []
            for _ in range(texts.chance.randint(3, 8)):
                said.append({"content": texts.some(20, 200), "role": "user"})
                said.append({"content": texts.some(200, 2400), "role": "assistant"})
            flagged = [{"flagged": False, "categories": {"hate": False, "violence": False}} for _ in said]
            rows.append(
                {
                    "conversation_id": f"c{number}",
                    "model": f"model-{number % 20}",
                    "conversation": said,
                    "turn": len(said) // 2,
                    "language": "English",
                    "openai_moderation": flagged,
                    "redacted": False,
                }
            )
        table = pyarrow.Table.from_pylist(rows)
        writer = writer or pyarrow.parquet.ParquetWriter(path, table.schema, compression="snappy")
        writer.write_table(table)
    writer.close()


def measure(command: Sequence[str]) -> dict[str, float]:
    """Run a command; give its seconds, its peak memory with that of its children, and what it counted."""
    start = time.perf_counter()
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - commands of this file
    root, peak = psutil.Process(running.pid), 0
    while running.poll() is None:
        peak = max(peak, _memory(root))
        time.sleep(0.03)
    seconds = time.perf_counter() - start
    said = running.stdout.read() if running.stdout else ""
    if running.returncode:
        raise SystemExit(f"{command[0]} ended with {running.returncode}")
    found = json.loads(said)
    return {"seconds": seconds, "peak_bytes": peak, **{name: found.get(name, 0) for name in _COUNTS}}


_COUNTS = ("conversations", "replies", "words")


def _memory(root: psutil.Process) -> int:
    total = 0
    try:
        for process in (root, *root.children(recursive=True)):
            total += process.memory_info().rss
    except psutil.NoSuchProcess:
        pass
    return total


def compare(path: Path, small: Path, commands: dict[str, list[str]], limen: list[str]) -> dict[str, object]:
    """Measure all commands in turn; give medians, and ratios to `limen logs show`."""
    size = path.stat().st_size
    times: dict[str, list[dict[str, float]]] = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            times[name].append(measure(command))
    counted = times["limen"][0]
    for name, runs in times.items():
        for count in _COUNTS if name.startswith(("limen", "polars")) else _COUNTS[:1]:
            if runs[0][count] != counted[count]:
                raise SystemExit(f"{name} counts {runs[0][count]} {count}, limen {counted[count]}")
    seconds = {name: statistics.median(run["seconds"] for run in runs) for name, runs in times.items()}
    return {
        "file_mb": round(size / MB),
        **{count: int(counted[count]) for count in _COUNTS},
        "quarter_file_peak_mb": round(measure([*limen, str(small), "--json"])["peak_bytes"] / MB),
        "programs": {
            name: {
                "seconds": round(seconds[name], 2),
                "conversations_per_s": round(counted["conversations"] / seconds[name]),
                "mb_per_s": round(size / MB / seconds[name], 1),
                "peak_mb": round(max(run["peak_bytes"] for run in runs) / MB),
                "times_as_long_as_limen": round(seconds[name] / seconds["limen"], 2),
            }
            for name, runs in times.items()
        },
    }


def main(arguments: list[str]) -> int:
    """Make the files, measure, print, write the result, and remove the files."""
    parser = argparse.ArgumentParser()
    parser.add_argument("peers", help="the Python that has polars")
    parser.add_argument("--size", type=int, default=1000, help="megabytes of each file")
    parser.add_argument("--dry", action="store_true", help="do not write bench/results/logs.json")
    given = parser.parse_args(arguments)
    limen = [str(Path(sys.executable).with_name("limen")), "logs", "show"]
    FOLDER.mkdir(parents=True, exist_ok=True)
    makers: dict[str, Callable[[Path, int, Texts], None]] = {"jsonl": write_lines, "parquet": write_parquet}
    plain = {"jsonl": ("json.loads loop", JSON_LOOP), "parquet": ("pyarrow to_pylist loop", ARROW_LOOP)}
    columns = {"jsonl": ("turns", "text"), "parquet": ("conversation", "content")}
    result: dict[str, object] = {
        "what": "reading a log and counting what is in it: `limen logs show` beside others on the same file",
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "rounds": ROUNDS,
        "date": datetime.now(UTC).date().isoformat(),
    }
    for kind, make in makers.items():
        path, small = FOLDER / f"log.{kind}", FOLDER / f"small.{kind}"
        try:
            make(path, given.size * MB, Texts())
            make(small, given.size * MB // 4, Texts(8))
            name, loop = plain[kind]
            commands = {
                "limen": [*limen, str(path), "--json"],
                "limen in one process": [*limen, str(path), "--json", "--workers", "1"],
                name: [sys.executable, "-c", loop, str(path)],
                "polars": [given.peers, "-c", POLARS, str(path), *columns[kind]],
            }
            result[kind] = compare(path, small, commands, limen)
        finally:
            path.unlink(missing_ok=True)
            small.unlink(missing_ok=True)
    text = json.dumps(result, indent=2) + "\n"
    if not given.dry:
        (ROOT / "bench" / "results" / "logs.json").write_text(text)
    print(text, end="")  # noqa: T201 - it is what the benchmark is for
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
