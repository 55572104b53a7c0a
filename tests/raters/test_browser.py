"""The same raters with the real page in a real browser: the same answers, and times that are the rater's own."""

import shutil
from pathlib import Path

import pytest

from commands import limen
from limen.core.characters import parse_mixture
from limen.core.sessions import Mode, Part
from limen.errors import NotReadyError
from limen.raters.browser import find_browser
from limen.storage.store import read_store
from limen.study.folder import StudyFolder
from limen.workflow.served import serve_study
from limen.workflow.simulate import raters_of


def test_the_page_takes_a_raters_answers_and_measures_its_times(example_study: Path, tmp_path: Path) -> None:
    study = StudyFolder(Path(shutil.copytree(example_study, tmp_path / "study")))
    done = limen("simulate", study.path, "--raters", 1, "--character", "perceptive", "--browser")
    assert done.code == 0, done.err
    assert "1 simulated rater took the survey in Chromium" in done.out
    served = serve_study(study.read_protocol(), study.read_stimuli(), live=False)
    (rater,) = raters_of(served, parse_mixture("perceptive"), raters=1)
    found = read_store(
        f"sqlite:///{study.answers_file}",
        lambda reading: [
            (
                s,
                reading.records(s, Part.TRIALS),
                [answer for _, answer in reading.debriefs(Mode.SIMULATED)],
            )
            for s in reading.sessions(Mode.SIMULATED)
        ],
    )
    assert found is not None
    ((session, records, debriefs),) = found
    assert {r.stimulus_id: r.judgment.response for r in records} == {
        stimulus: answer.response for stimulus, answer in rater.answers.items()
    }
    for record in records:
        meant = rater.answers[record.stimulus_id].response_time_ms
        assert meant <= record.judgment.response_time_ms < meant + 10_000  # and the machine's own moment
        assert record.received == record.judgment.client_time
        assert not record.judgment.queued_offline
    assert session.finished is not None
    assert session.painted is not None
    assert rater.begins < session.painted < records[0].received
    assert sorted(debriefs, key=repr) == sorted([rater.strategy, rater.demographics], key=repr)


def test_a_browser_is_looked_for_where_setup_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotReadyError, match="LIMEN_CHROMIUM"):
        find_browser({})
    mine = tmp_path / "mine"
    mine.write_text("#!/bin/sh\n")
    mine.chmod(0o755)
    assert find_browser({"LIMEN_CHROMIUM": str(mine)}) == str(mine)
    (tmp_path / "chromium").write_text("#!/bin/sh\n")
    (tmp_path / "chromium").chmod(0o755)
    assert find_browser({}) == str(tmp_path / "chromium")
