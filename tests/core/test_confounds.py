"""What differs besides drift is found, and matched selection removes it where the pool allows."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from builders import ListedLogs, a_conversation, a_pair, a_shown_reply, metrics, prose, s3, with_condition
from limen.core.analysis.estimates import Estimate, Undetermined
from limen.core.analysis.separation import Separation
from limen.core.audit import Severity
from limen.core.cautions import cautions, machine_sentence
from limen.core.confounds import Comparison, audit_confounds, compared_conditions
from limen.core.conversation import Conversation
from limen.core.features import SURFACE, Feature
from limen.core.numerals import counted
from limen.core.pair import Pair
from limen.core.protocol import Condition, ConditionRole, DriftRange, Protocol, ReplyWindow
from limen.dataset.codec import to_plain
from limen.demo.example import example_log
from limen.logs.reading import LogFiles
from limen.workflow.preparation import Preparation
from limen.workflow.prepare import prepare_pairs

CONTROL = Condition(
    name="LATE",
    prefix="LATE",
    role=ConditionRole.CONTROL,
    drift=DriftRange(below=0.3),
    count=5,
    a_replies=ReplyWindow(first=1, last=3),
    b_replies=ReplyWindow(first=7),
    quota={"anthropic": 1, "openai": 1, "google": 1, "xai": 1, "other": 1},
)


def _matching(protocol: Protocol, *features: Feature) -> Protocol:
    return replace(protocol, selection=replace(protocol.selection, match=features))


def _difference(comparison: Comparison, feature: Feature) -> float:
    row = next(row for row in comparison.features if row.feature is feature)
    assert isinstance(row.in_b, Estimate)
    return row.in_b.value


def _planted(spare_lengths: bool) -> list[Conversation]:
    """Conversations whose far-drifted replies are all long; with `spare_lengths` some short ones can be had, too.

    The long ones have the lower drift of A, so that a selection that minds no length prefers them.
    """
    made = []
    for provider in s3().providers.quota:
        for k in range(3 if provider == "openai" else 2):
            words = (240, 240, 240, 215 + 10 * k, 215)
            made.append(
                a_conversation((0.1, 0.1, 0.1, 0.2, 0.2), id=f"b-{provider}-{k}", provider=provider, words=words)
            )
        made.append(a_conversation((0.1,) * 3 + (0.2,) * 2, id=f"s-{provider}", provider=provider, words=220))
        for k in range(2):
            words = (240, 240, 240, 285 + 5 * k, 240)
            made.append(
                a_conversation((0.0, 0.0, 0.0, 1.2, 0.5), id=f"k-{provider}-{k}", provider=provider, words=words)
            )
        if spare_lengths:
            for k in range(2):
                words = (240, 240, 240, 212 + 8 * k, 240)
                made.append(
                    a_conversation(
                        (0.2, 0.2, 0.2, 1.2, 0.5), id=f"short-{provider}-{k}", provider=provider, words=words
                    )
                )
    return made


@cache
def _prepared(spare_lengths: bool, *features: Feature) -> Preparation:
    return prepare_pairs(_matching(s3(), *features), ListedLogs(_planted(spare_lengths)), metrics())


def _audited(preparation: Preparation) -> Comparison:
    stimuli = preparation.stimuli
    assert stimuli.complete
    return audit_confounds([s.pair for s in stimuli.stimuli], preparation.protocol, stimuli.unmatched).comparisons[0]


def test_a_planted_difference_in_length_is_found() -> None:
    found = _audited(_prepared(True))
    assert isinstance(found.machine, Separation)
    assert found.machine.auc > 0.95
    assert found.machine.p < 0.01
    assert _difference(found, Feature.WORDS) > 3
    said = cautions(audit_confounds([s.pair for s in _prepared(True).stimuli.stimuli], s3()))
    assert [finding.severity for finding in said] == [Severity.WARNING, Severity.WARNING]
    assert "tells CATASTROPHIC from BASELINE with AUC" in said[0].text
    assert "raters may be doing the same" in said[0].text
    assert '"words"' in said[0].mend


def test_matched_selection_removes_it_where_the_pool_allows() -> None:
    preparation = _prepared(True, Feature.WORDS, Feature.SENTENCE_LENGTH)
    found = _audited(preparation)
    assert abs(_difference(found, Feature.WORDS)) < 0.5
    assert isinstance(found.machine, Separation)
    assert found.machine.p > 0.05
    (before,) = preparation.stimuli.unmatched
    assert before.auc is not None
    assert before.auc > 0.95
    assert before.in_b["words"] == pytest.approx(_difference(_audited(_prepared(True)), Feature.WORDS))


def test_where_the_pool_does_not_allow_it_the_set_stays_full_and_the_warning_stands() -> None:
    preparation = _prepared(False, Feature.WORDS)
    found = _audited(preparation)  # which asks that it is complete
    assert _difference(found, Feature.WORDS) > 2
    whole = audit_confounds([s.pair for s in preparation.stimuli.stimuli], preparation.protocol)
    assert any("as far as these logs allow" in finding.mend for finding in cautions(whole))


@cache
def _example(folder: Path, *features: Feature) -> Preparation:
    log = folder / "example.jsonl"
    log.write_bytes(example_log())
    return prepare_pairs(_matching(s3(), *features), LogFiles(names=[str(log)]), metrics())


def test_the_example_is_not_told_apart_by_its_surface_after_matching(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("example")
    before, after = _audited(_example(folder)), _audited(_example(folder, *SURFACE))
    assert isinstance(before.machine, Separation)
    assert isinstance(after.machine, Separation)
    assert before.machine.p < 0.01
    assert after.machine.p > 0.05
    assert abs(_difference(before, Feature.SENTENCE_LENGTH)) > 1.5
    assert abs(_difference(after, Feature.SENTENCE_LENGTH)) < 0.5


def test_the_example_fills_a_late_control_stratum_and_the_target_is_held_against_it(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    log = tmp_path_factory.mktemp("control") / "example.jsonl"
    log.write_bytes(example_log())
    protocol = with_condition(s3(), CONTROL)
    stimuli = prepare_pairs(protocol, LogFiles(names=[str(log)]), metrics()).stimuli
    assert stimuli.complete
    late = [s.pair for s in stimuli.stimuli if s.pair.condition == "LATE"]
    assert len(late) == 5
    assert all(pair.b.number >= 7 and pair.b.drift_score < 0.3 for pair in late)
    assert list(compared_conditions(protocol)) == [
        ("BASELINE", "CATASTROPHIC"),
        ("BASELINE", "LATE"),
        ("LATE", "CATASTROPHIC"),
    ]


def _pairs(n: int) -> list[Pair]:
    return [
        a_pair(
            condition,
            conversation=f"run1:{condition}{k}",
            a=a_shown_reply(1, prose(230 + k, f"{condition}{k}a")),
            b=a_shown_reply(4 + k % 2, prose(240 + k, f"{condition}{k}b"), 1.2),
        )
        for condition in ("BASELINE", "CATASTROPHIC")
        for k in range(n)
    ]


@pytest.mark.parametrize("n", [0, 1, 4])
def test_few_pairs_are_undetermined_with_a_reason_and_never_a_number(n: int) -> None:
    found = audit_confounds(_pairs(n), s3())
    (comparison,) = found.comparisons
    assert isinstance(comparison.machine, Undetermined)
    assert counted(n, "pair") in comparison.machine.reason
    assert "undetermined" in machine_sentence(comparison)
    assert all(finding.severity is not Severity.PROBLEM for finding in cautions(found))
    json.dumps(to_plain(found))  # and it can be written


def test_conditions_from_other_runs_and_models_are_a_warning_that_names_them() -> None:
    apart = [
        replace(pair, tags={"run": f"run of {pair.condition}"}, model=f"model {pair.condition}") for pair in _pairs(6)
    ]
    (said,) = (finding for finding in cautions(audit_confounds(apart, s3())) if "comes from" in finding.text)
    assert (said.severity, said.subject) == (Severity.WARNING, "CATASTROPHIC")
    assert said.text.startswith("comes from other models and source runs than BASELINE; what raters notice may be that")
    assert "source run 100 % (p = .00" in said.text
    assert "provider" not in said.text
    assert said.mend.startswith("choose logs in which both conditions occur with the same models and source runs")


def test_conditions_that_are_mixed_alike_or_too_few_to_tell_are_no_warning() -> None:
    two = [replace(pair, tags={"run": f"run of {pair.condition}"}) for pair in _pairs(2)]
    for pairs in (_pairs(0), _pairs(6), two):
        said = cautions(audit_confounds(pairs, s3()))
        assert not any("comes from other" in finding.text for finding in said)


def test_the_same_pairs_and_seed_give_the_same_audit_and_every_number_can_be_written() -> None:
    found = audit_confounds(_pairs(6), s3())
    assert found == audit_confounds(_pairs(6), s3())
    plain = to_plain(found)
    assert json.loads(json.dumps(plain)) == plain
    assert set(plain["conditions"][0]["features"]) == {feature.value for feature in Feature}
    assert plain["conditions"][0]["kinds"]["source_run"] == {"run1": 6}


def test_topic_words_come_from_the_beginning_of_a_conversation_only() -> None:
    def told(condition: str, k: int, early: str, late: str) -> Pair:
        return a_pair(
            condition,
            conversation=f"{condition}{k}",
            a=a_shown_reply(1, early),
            b=a_shown_reply(5, late),
        )

    pairs = [told("BASELINE", k, "gardens", "gardens") for k in range(5)]
    pairs += [told("CATASTROPHIC", k, "harbour", "screaming") for k in range(5)]
    pairs = [replace(pair, context="A talk.") for pair in pairs]
    (comparison,) = audit_confounds(pairs, s3()).comparisons
    assert [(w.word, w.reference_pairs, w.other_pairs) for w in comparison.topic_words] == [
        ("garden", 5, 0),
        ("harbour", 0, 5),
    ]
