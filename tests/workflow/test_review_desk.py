from dataclasses import dataclass, field, replace

import pytest

from builders import a_pair, a_shown_reply, prose, s3
from limen.core.review import Action, Decision, Review, Standing, shown_digest
from limen.workflow.review import Refused, ReviewDesk, ReviewedStudy, Wish
from studies import SteppedClock, a_stimulus_set


@dataclass
class Shelf:
    """A shelf in memory: a true, small implementation of the port."""

    study: ReviewedStudy
    written: list[str] = field(default_factory=list)

    def read(self) -> ReviewedStudy:
        return self.study

    def write_review(self, review: Review) -> None:
        self.written.append("review")
        self.study = replace(self.study, review=review)

    def write_pairs(self, study: ReviewedStudy) -> None:
        self.written.append("pairs")
        self.study = study


def _desk(*, answered: bool = False, candidates: int = 2) -> tuple[ReviewDesk, Shelf]:
    pairs = tuple(
        a_pair(
            "CATASTROPHIC",
            conversation=f"spare{k}",
            provider="openai",
            a=a_shown_reply(1, prose(240, f"spare{k}/a"), 0.4 + k / 10),
            b=a_shown_reply(4, prose(240, f"spare{k}/b"), 1.2),
        )
        for k in range(candidates)
    )
    shelf = Shelf(ReviewedStudy(protocol=s3(), stimuli=a_stimulus_set(), review=Review(), candidates=pairs))
    return ReviewDesk(shelf=shelf, clock=SteppedClock(), answered=lambda: answered), shelf


def _wish(shelf: Shelf, action: Action, pair_id: str = "", **changes: str) -> Wish:
    slot = next(
        s for s in shelf.study.stimuli.stimuli if (s.pair.condition, s.pair.provider) == ("CATASTROPHIC", "openai")
    )
    stimulus = shelf.study.stimulus(pair_id) if pair_id else slot
    assert stimulus is not None
    return Wish(**{"action": action, "pair_id": stimulus.pair_id, "shown": shown_digest(stimulus.pair), **changes})  # type: ignore[arg-type]


def test_a_replacement_keeps_condition_and_provider_and_everything_else() -> None:
    desk, shelf = _desk()
    before, wish = shelf.study, _wish(shelf, Action.REPLACE, reason="  cut   off ")
    decision = desk.decide(wish)
    assert isinstance(decision, Decision)
    assert (decision.reason, decision.replaced_by) == ("cut off", "spare0")
    old, new = before.stimulus(wish.pair_id), shelf.study.stimulus(wish.pair_id)
    assert old is not None
    assert new is not None
    assert (new.pair.condition, new.pair.provider) == (old.pair.condition, old.pair.provider)
    assert [s for s in shelf.study.stimuli.stimuli if s.pair_id != wish.pair_id] == [
        s for s in before.stimuli.stimuli if s.pair_id != wish.pair_id
    ]
    assert shelf.study.review.standing_of(new) is Standing.UNREVIEWED
    assert old.pair in shelf.study.candidates
    assert shelf.study.stimuli.strict_count == 9  # A of the new pair is outside the baseline range


def test_slots_are_replaced_until_nothing_is_left_and_never_by_what_was_rejected() -> None:
    desk, shelf = _desk()
    for expected in ("spare0", "spare1"):
        decision = desk.decide(_wish(shelf, Action.REPLACE, reason="no"))
        assert isinstance(decision, Decision)
        assert decision.replaced_by == expected
    last = desk.decide(_wish(shelf, Action.REPLACE, reason="no"))
    assert isinstance(last, Refused)
    assert "no other candidate is left" in last.reason
    assert len(shelf.study.review.decisions) == 2


@pytest.mark.parametrize("action", [Action.REJECT, Action.REPLACE])
def test_rejecting_and_replacing_need_a_reason(action: Action) -> None:
    desk, shelf = _desk()
    for reason in ("", "   ", "x" * 501, "un\x00seen", "\x1b[2J"):
        refused = desk.decide(_wish(shelf, action, reason=reason))
        assert isinstance(refused, Refused)
        assert not refused.conflict
    assert shelf.written == []


@pytest.mark.parametrize("action", [Action.REJECT, Action.REPLACE, Action.CONTEXT])
def test_with_live_sessions_nothing_changes_but_what_is_approved(action: Action) -> None:
    desk, shelf = _desk(answered=True)
    refused = desk.decide(_wish(shelf, action, reason="late", context="About tea."))
    assert isinstance(refused, Refused)
    assert "live sessions exist" in refused.reason
    assert shelf.written == []
    assert isinstance(desk.decide(_wish(shelf, Action.APPROVE)), Decision)


def test_a_wish_about_another_version_of_the_pair_is_refused() -> None:
    desk, shelf = _desk()
    stale = _wish(shelf, Action.APPROVE)
    assert isinstance(desk.decide(_wish(shelf, Action.CONTEXT, context="About tea.")), Decision)
    refused = desk.decide(stale)
    assert isinstance(refused, Refused)
    assert "has changed" in refused.reason
    assert isinstance(desk.decide(replace(stale, pair_id="CAT_99")), Refused)


def test_a_context_is_taken_only_when_it_tells_nothing_and_is_another_one() -> None:
    desk, shelf = _desk()
    now = shelf.study.stimuli.stimuli[0].pair.context
    for context in ("A chat with Gemini.", "About drift.", "", now):
        refused = desk.decide(_wish(shelf, Action.CONTEXT, "BASE_01", context=context))
        assert isinstance(refused, Refused)
        assert not refused.conflict
    assert shelf.written == []
    decision = desk.decide(_wish(shelf, Action.CONTEXT, "BASE_01", context=" A talk  about tea. "))
    assert isinstance(decision, Decision)
    assert (decision.context_before, decision.context_after) == (now, "A talk about tea.")
    assert shelf.study.stimuli.stimuli[0].pair.context == "A talk about tea."
    assert shelf.study.review.contexts == {"BASE_01": "A talk about tea."}
