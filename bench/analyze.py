"""What `limen analyze` costs: a 10 × 20 study beside the protocol's own calls, and a million trials by themselves.

The small study: CPU of `limen analyze --from raw_responses.csv`, all files and figures, over CPU of plain_analysis.py
(SciPy, statsmodels and matplotlib: the protocol's three numbers and the same figures); alternating, median of seven.
The large one: 50,000 raters of 23 trials each, read, excluded, tabulated and agreed upon (Fleiss' κ over all) in a
process of its own, median of three; then 10,000 resamples of the four coefficients. The work has one thread, so its CPU
time is what the clock shows on a machine with nothing else to do; that is held against the goal, and both are recorded.
"""

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from limen.core.analysis.agreement_intervals import bootstrap_over_pairs
from limen.core.analysis.generators import named_generator
from limen.core.analysis.trials import ShownStimulus
from limen.core.estimation import estimate_as_specified
from limen.core.exclusion import judge_participants
from limen.core.sample import take_sample
from limen.core.simulated import Crowd, simulate_table
from limen.core.simulation import Observers
from limen.dataset.output import write_file
from limen.dataset.raw_file import raw_responses
from limen.dataset.responses import Reading, read_responses
from limen.study.protocol_file import built_in_protocol

ROUNDS, LARGE_ROUNDS = 7, 3
GOAL_RATIO, GOAL_S, GOAL_GB = 1.0, 10.0, 1.5
LARGE, SMALL = 50_000, 10
RESAMPLES = 10_000
PROVIDERS = ("anthropic", "openai", "google", "xai", "other")


def cpu_seconds(command: Sequence[str]) -> float:
    """Run a command and give the CPU time that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - commands of this file
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def write_answers(path: Path, raters: int) -> None:
    """Let simulated raters take the built-in study, and write their answers."""
    protocol = built_in_protocol()
    stimuli = [
        ShownStimulus(
            stimulus_id=f"{c.prefix}_{k:02d}",
            condition=c.name,
            expected=c.expected,
            drift_a=0.1,
            drift_b=(c.drift.above or 0.0) + 0.02 * k,
            provider=PROVIDERS[k % len(PROVIDERS)],
            words_a=240,
            words_b=250,
        )
        for c in protocol.conditions
        for k in range(1, c.count + 1)
    ]
    stimuli += [ShownStimulus(stimulus_id=c.id, condition=None, expected=c.expected) for c in protocol.attention_checks]
    observers = Observers(d_prime=1.2, criterion_sd=0.5, pair_sd=0.5, lapse_rate=0.05)
    table = simulate_table(protocol, tuple(stimuli), Crowd(raters=raters, observers=observers))
    write_file(path, raw_responses(table, ()))


def agree(path: Path) -> dict[str, float]:
    """Read, exclude, tabulate and agree; then 10,000 resamples of κ over the pairs."""
    protocol = built_in_protocol()
    start, cpu = time.perf_counter(), time.process_time()
    table = read_responses(path, Reading(protocol=protocol, now=datetime.now(UTC))).table
    read = time.perf_counter()
    sample = take_sample(table, protocol, judge_participants(table, protocol).kept)
    found = estimate_as_specified(sample, protocol)
    done, worked = time.perf_counter(), time.process_time()
    bootstrap_over_pairs(
        sample.ratings.category_counts(), sample.ratings.condition, rng=named_generator(1, "bench"), resamples=RESAMPLES
    )
    resampled = time.perf_counter()
    kappa = found.fleiss_kappa["all"]
    return {
        "trials": table.rows,
        "raters_kept": sample.ratings.raters,
        "fleiss_kappa": kappa if isinstance(kappa, float) else 0.0,
        "read_s": read - start,
        "total_s": done - start,
        "total_cpu_s": worked - cpu,
        "bootstrap_s": resampled - done,
        "peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
    }


def small_study(folder: Path) -> dict[str, object]:
    """Hold the command against the plain script, which reads the raw_responses.csv that the command wrote."""
    answers, results, plain = folder / "small.csv", folder / "results", folder / "plain"
    write_answers(answers, SMALL)
    limen = [sys.executable, "-c", "from limen.cli.main import run; run()"]
    script = Path(__file__).with_name("plain_analysis.py")
    commands = {
        "limen analyze": [*limen, "analyze", "--from", str(answers), "--out", str(results)],
        "plain_analysis.py": [sys.executable, str(script), str(results / "raw_responses.csv"), str(plain)],
    }
    for command in commands.values():
        cpu_seconds(command)  # warm the disk cache
    drawn = {name: len(list(place.glob("*.svg"))) for name, place in (("limen", results / "figures"), ("plain", plain))}
    if drawn["limen"] != drawn["plain"]:
        raise SystemExit(f"not the same figures: {drawn}")
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            times[name].append(cpu_seconds(command))
    medians = {name: statistics.median(values) for name, values in times.items()}
    return {
        "what": "CPU of `limen analyze` over CPU of plain_analysis.py, 10 raters × 20 pairs, all files and figures",
        "ratio": round(medians["limen analyze"] / medians["plain_analysis.py"], 3),
        "goal": GOAL_RATIO,
        "figures": drawn["limen"],
        "median_cpu_s": {name: round(value, 3) for name, value in medians.items()},
        "rounds": ROUNDS,
    }


def large_study(folder: Path) -> dict[str, object]:
    """Measure a million trials, each time in a fresh process."""
    answers = folder / "large.csv"
    write_answers(answers, LARGE)
    runs = []
    for _ in range(LARGE_ROUNDS):
        command = [sys.executable, __file__, "--agree", str(answers)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - this very file
        runs.append(json.loads(done.stdout))
    medians = {name: round(statistics.median(run[name] for run in runs), 4) for name in runs[0]}
    goals = {"total_cpu_s": GOAL_S, "peak_gb": GOAL_GB}
    return {
        "what": f"{LARGE:,} raters read, excluded, tabulated, agreed",
        **medians,
        "goals": goals,
        "rounds": LARGE_ROUNDS,
    }


def main() -> int:
    """Measure, print, and write the result."""
    with tempfile.TemporaryDirectory() as name:
        small, large = small_study(Path(name)), large_study(Path(name))
    result = {
        "small": small,
        "large": large,
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "load": round(os.getloadavg()[0], 1),
        "date": datetime.now(UTC).date().isoformat(),
    }
    folder = Path(__file__).parent / "results"
    folder.mkdir(exist_ok=True)
    (folder / "analyze.json").write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))  # noqa: T201 - it is what the benchmark is for
    kept = (
        float(str(small["ratio"])) <= GOAL_RATIO
        and float(str(large["total_cpu_s"])) <= GOAL_S
        and float(str(large["peak_gb"])) <= GOAL_GB
    )
    return 0 if kept else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--agree"]:
        print(json.dumps(agree(Path(sys.argv[2]))))  # noqa: T201 - for the process that started this one
    else:
        sys.exit(main())
