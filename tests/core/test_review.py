from dataclasses import replace
from datetime import UTC, datetime

import pytest

from builders import s3
from limen.core.audit import Severity
from limen.core.flags import CONTEXT_PROPOSED
from limen.core.review import (
    CONTEXT_EDITED,
    Action,
    Decision,
    Review,
    Standing,
    as_read,
    review_findings,
    shown_digest,
    why_not_context,
    with_context,
    with_contexts,
)
from limen.core.stimuli import Stimulus, StimulusSet
from studies import a_stimulus_set


def _decision(stimulus: Stimulus, action: Action, **changes: str) -> Decision:
    given = {
        "at": datetime(2026, 1, 5, tzinfo=UTC),
        "action": action,
        "pair_id": stimulus.pair_id,
        "conversation_id": stimulus.pair.conversation_id,
        "shown": shown_digest(stimulus.pair),
    }
    return Decision(**{**given, **changes})  # type: ignore[arg-type]


def _first(stimuli: StimulusSet | None = None) -> Stimulus:
    return (stimuli or a_stimulus_set()).stimuli[0]


def test_the_last_word_counts_and_only_for_what_was_read() -> None:
    first = _first()
    review = Review()
    assert review.standing_of(first) is Standing.UNREVIEWED
    review = review.with_decision(_decision(first, Action.REJECT, reason="odd"))
    assert review.standing_of(first) is Standing.REJECTED
    assert review.reason_for(first) == "odd"
    review = review.with_decision(_decision(first, Action.APPROVE))
    assert review.standing_of(first) is Standing.APPROVED
    assert review.reason_for(first) == ""
    changed = replace(first, pair=replace(first.pair, context="Another context."))
    assert review.standing_of(changed) is Standing.UNREVIEWED


def test_conversations_that_were_rejected_or_replaced_stay_out_unless_approved_later() -> None:
    first, second, third = a_stimulus_set().stimuli[:3]
    review = Review(
        decisions=(
            _decision(first, Action.REJECT, reason="no"),
            _decision(second, Action.REPLACE, reason="no"),
            _decision(third, Action.REJECT, reason="no"),
            _decision(third, Action.APPROVE),
            _decision(third, Action.CONTEXT, context_after="So."),
        )
    )
    assert review.rejected_conversations == {first.pair.conversation_id, second.pair.conversation_id}


def test_a_context_that_a_person_wrote_is_put_back_into_a_set_chosen_anew() -> None:
    stimuli = a_stimulus_set()
    first, check = stimuli.stimuli[0], replace(stimuli.checks[0], source="lent")
    proposed = replace(first, pair=replace(first.pair, flags=(CONTEXT_PROPOSED,)))
    stimuli = replace(stimuli, stimuli=(proposed, *stimuli.stimuli[1:]), checks=(check, *stimuli.checks[1:]))
    review = Review(
        decisions=(
            _decision(first, Action.CONTEXT, context_after="About plays."),
            _decision(first, Action.CONTEXT, context_after="About tea.", conversation_id="lent"),
        )
    )
    found = with_contexts(stimuli, review)
    assert found.stimuli[0].pair.context == "About plays."
    assert found.stimuli[0].pair.flags == (CONTEXT_EDITED,)
    assert found.checks[0].context == "About tea."
    assert found.stimuli[1:] == stimuli.stimuli[1:]
    assert with_context(found.stimuli[0].pair, "Again.").flags == (CONTEXT_EDITED,)


def test_a_proposed_context_in_an_approved_pair_counts_as_read() -> None:
    stimuli = a_stimulus_set()
    both = tuple(replace(s, pair=replace(s.pair, flags=(CONTEXT_PROPOSED, "x"))) for s in stimuli.stimuli[:2])
    review = Review(decisions=(_decision(both[0], Action.APPROVE),))
    found = as_read(replace(stimuli, stimuli=both), review)
    assert [s.pair.flags for s in found.stimuli] == [("x",), (CONTEXT_PROPOSED, "x")]


@pytest.mark.parametrize(
    ("context", "why"),
    [
        ("A discussion about tea.", None),
        ("  ", "empty"),
        ("word " * 80, "at most 300 characters"),
        ("A discussion about\x00 tea.", "cannot be shown"),
        ("A discussion about \ud800.", "cannot be shown"),
        ("A chat with Claude about tea.", "names a speaker: Claude"),
        ("A discussion about identity.", "tells the hypothesis: identity"),
        ("A catastrophic discussion.", "tells the hypothesis: catastrophic"),
    ],
)
def test_a_context_is_audited_before_it_is_taken(context: str, why: str | None) -> None:
    found = why_not_context(context, s3())
    assert found is None if why is None else why in (found or "")


def test_a_rejected_pair_is_a_problem_and_an_unread_one_a_note() -> None:
    stimuli = a_stimulus_set()
    (note,) = review_findings(stimuli, Review())
    assert (note.severity, note.text) == (Severity.NOTE, "20 of 20 pairs unreviewed")
    decided = [_decision(s, Action.APPROVE) for s in stimuli.stimuli]
    assert list(review_findings(stimuli, Review(decisions=tuple(decided)))) == []
    decided[3] = _decision(stimuli.stimuli[3], Action.REJECT, reason="cut off")
    problem, note = review_findings(stimuli, Review(decisions=tuple(decided[:-1])))
    assert (problem.severity, problem.subject) == (Severity.PROBLEM, stimuli.stimuli[3].pair_id)
    assert problem.text == "rejected in review: cut off"
    assert note.text == f"1 of 20 pairs unreviewed: {stimuli.stimuli[-1].pair_id}"
    assert list(review_findings(replace(stimuli, stimuli=()), Review())) == []
