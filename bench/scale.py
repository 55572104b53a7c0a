"""A million stored trials: counted by condition and written as CSV, beside pandas on the same SQLite file.

Each measurement is a process of its own, alternating: seconds after its imports, and the peak memory of all of it.
"""

import json
import os
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from machine import Row, keep, missing
from peers import install
from subjects import a_study

from limen.core.sessions import Mode
from limen.core.stimuli import StimulusSet
from limen.dataset.export_file import exported
from limen.storage.store import open_store, read_store
from limen.study.folder import StudyFolder
from limen.workflow.answers import joined_trials
from limen.workflow.export import count_by_condition
from limen.workflow.ports import Reading

ROUNDS = int(os.environ.get("LIMEN_BENCH_ROUNDS", "5"))
TRIALS = int(os.environ.get("LIMEN_BENCH_TRIALS", "1000000"))
OUT = Path("out/bench").resolve()

PANDAS = {
    "counts": """
frame = pandas.read_sql("SELECT t.* FROM trials t JOIN sessions s ON s.id = t.session_id "
                        "WHERE s.mode = 'live'", connection)
frame["condition"] = frame["stimulus_id"].map(conditions)
frame.groupby(["condition", "response"]).size().to_dict()
""",
    "counts of two columns": """
frame = pandas.read_sql("SELECT t.stimulus_id, t.response FROM trials t JOIN sessions s ON s.id = t.session_id "
                        "WHERE s.mode = 'live'", connection)
frame["condition"] = frame["stimulus_id"].map(conditions)
frame.groupby(["condition", "response"]).size().to_dict()
""",
    "export": """
frame = pandas.read_sql("SELECT s.number AS participant, t.* FROM trials t JOIN sessions s ON s.id = t.session_id "
                        "WHERE s.mode = 'live' ORDER BY s.number, t.number", connection)
frame["condition"] = frame["stimulus_id"].map(conditions)
frame["timestamp"] = pandas.to_datetime(frame["received_us"], unit="us")
frame.drop(columns=["attempts"]).to_csv(out, index=False)
""",
}


def fill(study: StudyFolder) -> None:
    """Store sessions of 23 trials until there are enough, straight into the tables."""
    stimuli = study.read_stimuli()
    ids = [s.pair_id for s in stimuli.stimuli] + [c.check_id for c in stimuli.checks]
    with open_store(f"sqlite:///{study.answers_file}"):
        pass
    connection = sqlite3.connect(study.answers_file)
    count, chance, start = -(-TRIALS // len(ids)), random.Random(1), 1_700_000_000_000_000  # noqa: S311
    plan, digest = json.dumps(ids), stimuli.digest()
    connection.executemany(
        "INSERT INTO sessions (id, token_digest, withdrawal_digest, mode, number, source, plan, practice_count, "
        "stimulus_digest, consent_version, tab, held, created_us) "
        "VALUES (?, ?, ?, 'live', ?, 'server', ?, 2, ?, 'c', 't', 0, ?)",
        ((n, f"t{n}", f"w{n}", n, plan, digest, start + n) for n in range(1, count + 1)),
    )

    def rows() -> Iterator[tuple[object, ...]]:
        for n in range(1, count + 1):
            for place, stimulus in enumerate(chance.sample(ids, len(ids)), 1):
                at = start + (n * 100 + place * 20) * 1_000_000 + chance.randrange(1_000_000)
                response = "NORMAL" if chance.random() < 0.6 else "SOMETHINGS_OFF"
                times = (chance.randrange(2000, 60_000), at, at - 5000)
                rest = (0, 1, "[[8432,0,1700000000000000]]", 9000, 0, 0, 0, round(chance.random(), 3), "key", 1440, 900)
                yield (n, place, stimulus, response, *times, *rest)

    connection.executemany(f"INSERT INTO trials VALUES ({', '.join('?' * 18)})", rows())  # noqa: S608
    connection.commit()
    connection.close()


def ours(what: str, folder: Path) -> None:
    """Do what `limen export` does, in this process."""
    study = StudyFolder(folder)
    stimuli, address = study.read_stimuli(), f"sqlite:///{study.answers_file}"
    if what == "export":
        read_store(address, partial(_write, stimuli))
    else:
        read_store(address, lambda reading: count_by_condition(reading, stimuli, Mode.LIVE))


def _write(stimuli: StimulusSet, reading: Reading) -> None:
    with (OUT / "limen.csv").open("wb") as file:
        file.writelines(exported(joined_trials(reading, stimuli, Mode.LIVE), "live"))


def theirs(what: str, folder: Path) -> str:
    """Give the script that does it with pandas, and prints how long it took after its imports."""
    stimuli = StudyFolder(folder).read_stimuli()
    conditions = {s.pair_id: s.pair.condition for s in stimuli.stimuli}
    conditions |= {check.check_id: "ATTENTION" for check in stimuli.checks}
    head = "import sqlite3, time, pandas\nbegan = time.perf_counter()\n"
    head += f"connection = sqlite3.connect({str(folder / 'answers.sqlite')!r})\n"
    head += f"conditions = {conditions!r}\nout = {str(OUT / 'pandas.csv')!r}\n"
    return f"{head}{PANDAS[what]}\nprint(time.perf_counter() - began)"


def measure(command: list[str]) -> tuple[float, float]:
    """Run a command; give the seconds that it prints, and the peak memory of all of it in MB."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - commands of this file
    said = process.stdout.read() if process.stdout else ""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status:
        raise SystemExit(f"{command[:3]} failed")
    return float(said), usage.ru_maxrss / 1000


def main() -> int:
    """Measure, print, and write the result."""
    OUT.mkdir(parents=True, exist_ok=True)
    programs = install(OUT / "peers", "pandas")
    folder = a_study(OUT, "scale")
    fill(StudyFolder(folder))
    rows = []
    for what, goal, title in (
        ("counts", 0.3, "counts by condition over pandas reading the trials"),
        ("counts of two columns", None, "counts by condition over pandas reading two columns"),
        ("export", 0.8, "CSV export over pandas read_sql + to_csv"),
    ):
        mine, other, memory = [], [], []
        for _ in range(ROUNDS):
            seconds, peak = measure([sys.executable, __file__, "--ours", what, str(folder)])
            mine.append(seconds)
            memory.append(peak)
            if programs is not None:
                other.append(measure([str(programs / "python"), "-c", theirs(what, folder)])[0])
        if other:
            ratios = [a / b for a, b in zip(mine, other, strict=True)]
            figures: dict[str, float | list[float]] = {"limen_s": mine, "pandas_s": other}
            rows.append(Row(what=f"{TRIALS:,} trials: {title}", values=ratios, goal=goal, figures=figures))
        else:
            rows.append(missing(f"{TRIALS:,} trials: {title}", "pandas could not be installed"))
        if goal is not None:
            rows.append(Row(what=f"{TRIALS:,} trials: memory of {what}", values=memory, goal=100, unit="MB"))
    return keep("scale", rows, rounds=ROUNDS, trials=TRIALS)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--ours"]:
        began = time.perf_counter()
        ours(sys.argv[2], Path(sys.argv[3]))
        print(time.perf_counter() - began)  # noqa: T201 - for who started this process
    else:
        sys.exit(main())
