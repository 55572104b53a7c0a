"""Whether the memory of `limen pairs` grows with the log: its peak resident size on 50 MB and on 200 MB."""

import json
import platform
import random
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

SIZES_MB = (50, 200)
GOAL = 1.25  # four times the log, at most a quarter more memory
PROVIDERS = ("anthropic", "openai", "google", "xai", "other")
DRIFTS = ((0.1, 0.15, 0.2, 0.25, 0.2, 0.22), (0.2, 0.3, 0.4, 1.2, 1.5, 1.1))


def write_log(path: Path, size: int) -> int:
    """Write conversations of made-up words until the file has `size` bytes; give how many they are."""
    chance = random.Random(1)  # noqa: S311 - made-up words, no secret
    words = ["".join(chance.choice("bdfglmnprst") + chance.choice("aeiou") for _ in range(3)) for _ in range(4000)]
    written, count = 0, 0
    with path.open("w") as file:
        while written < size:
            written += file.write(json.dumps(conversation(chance, words, count)) + "\n")
            count += 1
    return count


def conversation(chance: random.Random, words: list[str], number: int) -> dict[str, object]:
    """Make a conversation that can serve BASELINE or CATASTROPHIC, by turns."""

    def text(count: int) -> str:
        return " ".join(" ".join(chance.choices(words, k=10)).capitalize() + "." for _ in range(count // 10))

    turns: list[dict[str, object]] = [
        {"i": 0, "role": "assistant", "text": text(30), "drift": 0.0, "is_reference": True}
    ]
    for k, drift in enumerate(DRIFTS[number % 2], 1):
        turns.append({"i": k, "role": "assistant", "text": text(chance.randint(210, 420)), "drift": drift})
    origin = {"metric": "keyword-rms/s7", "reference": "turn:0", "range": [0, None], "source": "recorded"}
    return {
        "schema": "limen.conversation/1",
        "id": f"c{number}",
        "provider": PROVIDERS[number // 2 % 5],
        "topic": "A discussion about nothing.",
        "drift": origin,
        "turns": turns,
    }


def peak_mb(limen: str, log: Path, study: Path) -> float:
    """Run `limen pairs` in a process of its own and give its peak resident size."""
    code = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    command = [sys.executable, "-c", code, limen, "pairs", str(log), "--study", str(study)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603
    return int(said) / (1024 if sys.platform != "darwin" else 1024 * 1024)


def main() -> int:
    """Measure, print, and write the result."""
    limen = str(Path(sys.executable).with_name("limen"))
    peaks, counts = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        study = Path(folder) / "study"
        subprocess.run([limen, "init", str(study)], check=True, capture_output=True)  # noqa: S603
        for size in SIZES_MB:
            log = Path(folder) / "log.jsonl"
            counts[f"{size} MB"] = write_log(log, size * 10**6)
            peaks[f"{size} MB"] = round(peak_mb(limen, log, study))
    small, large = peaks.values()
    result = {
        "what": "peak resident size of `limen pairs` on 200 MB of logs over that on 50 MB",
        "ratio": round(large / small, 3),
        "goal": GOAL,
        "peak_mb": peaks,
        "conversations": counts,
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "date": datetime.now(UTC).date().isoformat(),
    }
    (Path(__file__).parent / "results" / "memory.json").write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))  # noqa: T201 - it is what the benchmark is for
    return 0 if large <= GOAL * small else 1


if __name__ == "__main__":
    sys.exit(main())
