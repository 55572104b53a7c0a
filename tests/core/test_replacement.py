from dataclasses import replace

from builders import a_pair, a_shown_reply, prose, s3
from limen.core.features import Feature
from limen.core.pair import Pair
from limen.core.replacement import SPARES_OF_A_CELL, keep_spares, rivals_for
from limen.core.stimuli import StimulusSet
from studies import a_stimulus_set


def _candidate(name: str, *, drift_a: float = 0.1, words: int = 240, **changes: str) -> Pair:
    given = {"condition": "CATASTROPHIC", "provider": "openai", **changes}
    return a_pair(
        given["condition"],
        conversation=name,
        provider=given["provider"],
        a=a_shown_reply(1, prose(240, f"{name}/a"), drift_a),
        b=a_shown_reply(4, prose(words, f"{name}/b"), 1.2),
    )


def _rivals(stimuli: StimulusSet, candidates: list[Pair], rejected: frozenset[str] = frozenset()) -> list[str]:
    slot = next(s for s in stimuli.stimuli if (s.pair.condition, s.pair.provider) == ("CATASTROPHIC", "openai"))
    return [pair.conversation_id for pair in rivals_for(slot, stimuli, candidates, s3(), rejected)]


def test_only_the_same_condition_and_provider_can_take_a_slot_and_the_best_comes_first() -> None:
    candidates = [
        _candidate("later", drift_a=0.2),
        _candidate("best", drift_a=0.0),
        _candidate("elsewhere", provider="xai"),
        _candidate("calm", condition="BASELINE"),
    ]
    assert _rivals(a_stimulus_set(), candidates) == ["best", "later"]


def test_nothing_used_rejected_or_shown_already_can_take_a_slot() -> None:
    stimuli = a_stimulus_set()
    checks = (replace(stimuli.checks[0], source="lent"), *stimuli.checks[1:])
    stimuli = replace(stimuli, checks=checks)
    other = stimuli.stimuli[-1].pair
    copied = replace(_candidate("copied"), a=replace(other.a, number=1))
    used = _candidate(stimuli.stimuli[0].pair.conversation_id)
    candidates = [copied, used, _candidate("lent"), _candidate("rejected"), _candidate("free")]
    assert _rivals(stimuli, candidates, frozenset({"rejected"})) == ["free"]
    assert _rivals(stimuli, []) == []


def test_what_is_matched_decides_before_the_drift_of_a() -> None:
    matching = replace(s3(), selection=replace(s3().selection, match=(Feature.WORDS,)))
    stimuli = a_stimulus_set()
    slot = next(s for s in stimuli.stimuli if (s.pair.condition, s.pair.provider) == ("CATASTROPHIC", "openai"))
    candidates = [_candidate("long", drift_a=0.0, words=300), _candidate("alike", drift_a=0.2, words=240)]
    found = rivals_for(slot, stimuli, candidates, matching, frozenset())
    assert [pair.conversation_id for pair in found] == ["alike", "long"]
    assert _rivals(stimuli, candidates) == ["long", "alike"]


def test_the_best_conversations_of_each_cell_are_kept_and_no_more() -> None:
    many = [_candidate(f"c{k:02d}", drift_a=k / 100) for k in range(30)]
    few = [_candidate("x", provider="xai"), _candidate("nobody", provider="unknown")]
    kept = keep_spares([*reversed(many), *few], s3())
    assert sorted(pair.conversation_id for pair in kept) == [f"c{k:02d}" for k in range(SPARES_OF_A_CELL)] + ["x"]
