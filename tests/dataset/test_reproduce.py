"""The scripts beside the report compute the protocol's numbers again without Limen."""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from answers import a_rater, a_table, an_analysis, some_stimuli
from builders import s3
from limen.core.analysis.estimates import Undetermined
from limen.core.analysis.trials import TrialTable
from limen.core.protocol import ConditionRole, Protocol
from limen.dataset.codec import to_plain
from limen.dataset.raw_file import raw_responses
from limen.dataset.reproduce import reproduction_scripts


def _reproduced(folder: Path, table: TrialTable, protocol: Protocol) -> dict[str, dict[str, float | None]]:
    found = an_analysis(table, protocol)
    (folder / "raw_responses.csv").write_bytes(b"".join(raw_responses(table, found.exclusions)))
    script = folder / "reproduce.py"
    script.write_bytes(reproduction_scripts(protocol)["reproduce.py"])
    done = subprocess.run(
        [sys.executable, "-I", str(script)], capture_output=True, text=True, check=False, timeout=120, cwd="/"
    )
    assert done.returncode == 0, done.stderr
    again: dict[str, dict[str, float | None]] = json.loads(done.stdout)
    wanted = to_plain(found.as_specified)
    for key, numbers in again.items():
        for name, number in numbers.items():
            expected = wanted[key][name]
            if isinstance(expected, dict):  # undetermined
                assert number is None, (key, name)
            else:
                assert number == pytest.approx(expected, rel=1e-9), (key, name)
    return again


def test_reproduce_py_gives_the_numbers_as_specified(tmp_path: Path) -> None:
    people = [*(a_rater(2 + k % 3, 8 - k % 2, shift=3 * k) for k in range(7)), a_rater(fails=3), a_rater(answered=9)]
    again = _reproduced(tmp_path, a_table(people), s3())
    assert set(again) == {"catastrophic", "baseline", "binomial", "chi_square", "fleiss_kappa"}


def test_reproduce_py_knows_other_conditions_and_undefined_numbers(tmp_path: Path) -> None:
    names = {"BASELINE": "CALM", "CATASTROPHIC": "WILD"}
    protocol = replace(s3(), conditions=tuple(replace(c, name=names[c.name]) for c in s3().conditions))
    people = [replace(a_rater(), off={"CALM": [False] * 10, "WILD": [False] * 10}) for _ in range(5)]
    table = a_table(people, protocol=protocol, stimuli=some_stimuli(protocol))
    assert isinstance(an_analysis(table, protocol).as_specified.chi_square.p, Undetermined)
    again = _reproduced(tmp_path, table, protocol)
    assert again["fleiss_kappa"] == {"all": None, "wild": None, "calm": None}


def test_reproduce_py_takes_agreement_over_the_two_conditions_that_are_compared(tmp_path: Path) -> None:
    late = replace(s3().conditions[0], name="LATE", prefix="LATE", role=ConditionRole.CONTROL)
    protocol = replace(s3(), conditions=(*s3().conditions, late))
    raters = [a_rater(2 + k % 3, 8 - k % 2, shift=3 * k) for k in range(6)]
    people = [replace(rater, off={**rater.off, "LATE": [True] * 5 + [False] * 5}) for rater in raters]
    table = a_table(people, protocol=protocol, stimuli=some_stimuli(protocol))
    assert _reproduced(tmp_path, table, protocol)["fleiss_kappa"]["all"] is not None


def _has_lme4() -> bool:
    rscript = shutil.which("Rscript")
    asked = [rscript or "", "-e", 'quit(status = !requireNamespace("lme4", quietly = TRUE))']
    return rscript is not None and subprocess.run(asked, check=False, capture_output=True).returncode == 0


@pytest.mark.skipif(not _has_lme4(), reason="R with lme4 is not installed here; reproduce.R needs both")
def test_reproduce_r_gives_the_numbers_of_the_logit_models(tmp_path: Path) -> None:
    people = [a_rater(2 + k % 4, 8 - k % 3, shift=3 * k) for k in range(8)]
    table = a_table(people)
    found = an_analysis(table, s3())
    (tmp_path / "raw_responses.csv").write_bytes(b"".join(raw_responses(table, found.exclusions)))
    (tmp_path / "reproduce.R").write_bytes(reproduction_scripts(s3())["reproduce.R"])
    command = ["Rscript", str(tmp_path / "reproduce.R")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, cwd="/")
    assert done.returncode == 0, done.stderr
    printed = re.search(r"^condition01 +([\d.-]+) +([\d.-]+)", done.stdout, re.MULTILINE)
    assert printed, done.stdout
    condition = found.companions.glmm.logit.condition
    assert float(printed[1]) == pytest.approx(condition.estimate, abs=2e-4)
    assert float(printed[2]) == pytest.approx(condition.se, rel=1e-3)
    assert f"p-value = {found.as_specified.binomial.p:.4g}" in done.stdout


def test_no_place_is_left_unfilled() -> None:
    for name, script in reproduction_scripts(s3()).items():
        assert b"@@" not in script, name
        assert b"CATASTROPHIC" in script
