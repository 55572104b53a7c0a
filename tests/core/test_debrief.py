"""The optional questions after the last trial, summed up."""

from limen.core.analysis.estimates import Undetermined
from limen.core.debrief import DebriefRecord, summarize_debrief
from studies import a_protocol


def test_a_rater_counts_once_for_an_option_however_often_it_was_stored() -> None:
    wording = a_protocol().wording.debrief
    records = [
        DebriefRecord(participant="P001", strategies=(0,) * 50),
        DebriefRecord(participant="P002", strategies=(1,)),
    ]
    summary = summarize_debrief(records, ["P001", "P002"], wording)
    assert not isinstance(summary, Undetermined)
    assert [choice.chosen for choice in summary.strategy[:3]] == [1, 1, 0]
