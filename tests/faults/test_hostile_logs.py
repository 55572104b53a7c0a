"""Logs that were cut, mixed up or made to do harm: never a traceback, never memory beyond a bound, always a problem."""

import gzip
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from faults.log_seeds import seeds
from faults.scale import SOAK, noted
from limen.core.conversation import Conversation
from limen.core.log_problems import LogProblem
from limen.demo.example import example_log
from limen.errors import LogError
from limen.logs.reading import LogFiles

LINES = example_log().splitlines(keepends=True)[:6]
GARBAGE = [
    b"\x00",
    b"\xff\xfe",
    b"{",
    b"}",
    b'"',
    b"[" * 3000,
    b"\\ud800",
    b"NaN",
    b"1e999",
    b"null",
    b"\n",
    b",",
    b"-",
]
BOUND_MB = 700
MUTATED = 20_000 if SOAK else 300
LONG_LINE = 10 * 1024**3 if SOAK else 300 * 1024**2


SEEDS = seeds(4_000_000 if SOAK else 220_000)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """Cut, repeat, move and overwrite parts of a log."""
    content = bytearray(SEEDS[draw(st.sampled_from(list(SEEDS)))])
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, max(0, len(content) - 1)))
        length = draw(st.integers(0, 200))
        match draw(st.sampled_from(["cut", "drop", "repeat", "overwrite", "insert", "flip"])):
            case "cut":
                del content[at:]
            case "drop":
                del content[at : at + length]
            case "repeat":
                content[at:at] = content[at : at + length] * 3
            case "overwrite":
                content[at : at + length] = draw(st.binary(max_size=length))
            case "insert":
                content[at:at] = draw(st.sampled_from(GARBAGE))
            case "flip" if content:
                content[at] ^= draw(st.integers(1, 255))
    return bytes(content)


def read(path: Path) -> tuple[int, int]:
    """Read a log; give how many conversations and how many problems there were."""
    conversations = problems = 0
    try:
        for found in LogFiles(names=[str(path)]).read():
            assert isinstance(found, Conversation | LogProblem)
            conversations += isinstance(found, Conversation)
            problems += isinstance(found, LogProblem)
            if isinstance(found, LogProblem):
                assert found.reason
    except LogError as refused:
        said = str(refused)
    else:
        return conversations, problems
    assert len(said.splitlines()) == 1
    return 0, 1


def test_a_mutated_log_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "mutated.log"
    seen: Counter[str] = Counter()

    @settings(max_examples=MUTATED, derandomize=not SOAK, deadline=None, suppress_health_check=list(HealthCheck))
    @given(content=mutated())
    def is_read(content: bytes) -> None:
        path.write_bytes(content)
        conversations, problems = read(path)
        assert conversations + problems > 0
        seen.update(logs=1, conversations=conversations, problems=problems)

    with noted("mutated logs, real and of every format") as figures:
        is_read()
        assert seen["conversations"] > 0 < seen["problems"]
        figures |= {"sources": len(SEEDS), **seen}


def read_bounded(path: Path) -> tuple[str, float]:
    """Read in a process of its own; give what it said, and its peak memory in MB."""
    script = (
        "import re, sys; from limen.errors import LogError; from limen.logs.reading import LogFiles\n"
        "try:\n"
        "    found = [type(one).__name__ for one in LogFiles(names=[sys.argv[1]]).read()]\n"
        "    print('read', found.count('Conversation'), found.count('LogProblem'))\n"
        "except LogError as refused: print('refused:', refused)\n"
        # its own peak: what getrusage gives is at least that of the process which started it
        "print(int(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]) / 1000)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=False, timeout=1200
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said, memory = done.stdout.strip().rsplit("\n", 1)
    return said, float(memory)


def test_a_gzip_bomb_is_a_problem_within_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "bomb.jsonl.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(LINES[0])
        file.write(b'{"messages": [{"role": "user", "content": "')
        for _ in range(LONG_LINE // 2**20):
            file.write(b"a" * 2**20)
    with noted("gzip bomb") as figures:
        said, memory = read_bounded(path)
        assert said == "read 1 1"
        assert memory < BOUND_MB
        figures |= {"packed_mb": path.stat().st_size / 1e6, "unpacked_mb": LONG_LINE / 1e6, "memory_mb": round(memory)}


def test_a_line_without_end_is_a_problem_within_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    with path.open("wb") as file:
        file.write(LINES[0] + b'{"messages": "')
        file.truncate(file.tell() + LONG_LINE)  # a hole: it is read as zeros, and takes no space
        file.seek(0, os.SEEK_END)
        file.write(b'"}\n' + LINES[1])
    with noted("a very long line") as figures:
        said, memory = read_bounded(path)
        assert said == "read 2 1"
        assert memory < BOUND_MB
        figures |= {"line_mb": LONG_LINE / 1e6, "memory_mb": round(memory)}


def test_links_lead_nowhere_without_end(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "good.jsonl").write_bytes(b"".join(LINES))
    (logs / "again").symlink_to(logs, target_is_directory=True)
    (logs / "itself.jsonl").symlink_to(logs / "itself.jsonl")
    (logs / "nowhere.jsonl").symlink_to(tmp_path / "nowhere")
    conversations, problems = read(logs)
    assert (conversations, problems) == (len(LINES), 0)
