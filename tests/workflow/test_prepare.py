from dataclasses import replace
from typing import Any

import pytest

from builders import ListedLogs, a_conversation, enough_conversations, metrics, prose, s3
from limen.core.conversation import Conversation, Role, Turn
from limen.core.log_problems import LogProblem
from limen.core.protocol import DriftRange
from limen.errors import InputError, MetricError
from limen.workflow.preparation import Preparation, PrepareOptions
from limen.workflow.prepare import prepare_pairs


def _prepare(conversations: list[Conversation], **options: object) -> Preparation:
    return prepare_pairs(s3(), ListedLogs(conversations), metrics(), PrepareOptions(**options))  # type: ignore[arg-type]


def test_logs_with_enough_conversations_give_a_complete_set() -> None:
    preparation = _prepare(enough_conversations())
    assert preparation.stimuli.complete
    assert len(preparation.stimuli.stimuli) == 20
    assert preparation.stimuli.standing is None
    assert preparation.conversations == 22


def test_a_slot_that_cannot_be_filled_is_a_finding() -> None:
    few = [c for c in enough_conversations() if c.provider != "xai"]
    stimuli = _prepare(few).stimuli
    assert {(s.condition, s.provider, s.found) for s in stimuli.shortfalls} == {
        ("BASELINE", "xai", 0),
        ("CATASTROPHIC", "xai", 0),
    }
    assert not stimuli.complete
    assert len(stimuli.stimuli) == 16


def test_the_funnel_tells_for_every_cell_what_was_left_after_each_step() -> None:
    stimuli = _prepare(enough_conversations()).stimuli
    for step, following in zip(stimuli.funnel, stimuli.funnel[1:], strict=False):
        if (step.condition, step.provider) == (following.condition, following.provider):
            assert following.left == step.left - following.dropped
    ends = {(f.condition, f.provider): f.left for f in stimuli.funnel if f.reason == "conversation_used"}
    assert all(left >= 2 for left in ends.values())


def test_logs_without_drift_say_how_to_measure_it() -> None:
    with pytest.raises(MetricError, match="--metric keyword-rms/limen-1"):
        _prepare([a_conversation(metric=None, drifts=[None] * 5)])


def test_two_metrics_in_one_set_are_refused() -> None:
    logs = [a_conversation(id="a"), a_conversation(id="b", metric="unknown")]
    with pytest.raises(MetricError, match=r"keyword-rms/s7 \(1 conversation\), unknown \(1 conversation\)"):
        _prepare(logs)
    assert _prepare(logs, metric="keyword-rms/s7").stimuli.metric == "keyword-rms/s7"
    assert _prepare(logs, metric_name="keyword-rms/s7").stimuli.metric == "keyword-rms/s7"


def test_an_unknown_metric_can_be_named() -> None:
    stimuli = _prepare([a_conversation(metric="unknown")], metric_name="cosine/mine").stimuli
    assert stimuli.metric == "cosine/mine"
    assert stimuli.standing == "not the protocol's condition"
    assert all("metric_unknown" not in s.pair.flags for s in stimuli.stimuli)


def test_a_metric_that_can_never_reach_a_condition_is_refused_with_what_was_observed() -> None:
    with pytest.raises(MetricError) as caught:
        _prepare([a_conversation(metric="cosine", high=1.0)])
    text = str(caught.value)
    assert "CATASTROPHIC wants drift > 1.00, but cosine goes from 0 to 1" in text
    assert "observed drift of 5 replies: 0.100 to 0.200" in text
    assert "--thresholds CATASTROPHIC=… or --quantiles CATASTROPHIC=…" in text


def test_a_metric_that_could_but_does_not_is_a_shortfall() -> None:
    preparation = _prepare([a_conversation(metric="cosine", high=2.0)])
    assert [condition.name for condition in preparation.unreached] == ["CATASTROPHIC"]
    assert not preparation.stimuli.complete


def test_other_thresholds_are_used_and_marked() -> None:
    logs = [a_conversation([0.01, 0.01, 0.01, 0.05, 0.6], metric="cosine", high=1.0)]
    preparation = _prepare(logs, thresholds={"CATASTROPHIC": DriftRange(above=0.5)})
    assert preparation.stimuli.standing == "not the protocol's condition"
    assert preparation.stimuli.bands["CATASTROPHIC"] == DriftRange(above=0.5)
    both = _prepare(
        [*logs, a_conversation([0.2, 0.2, 0.2, 0.9], id="d", metric="cosine", high=1.0)],
        thresholds={"CATASTROPHIC": DriftRange(above=0.5)},
    )
    assert {s.pair.condition for s in both.stimuli.stimuli} == {"BASELINE", "CATASTROPHIC"}


def test_a_lower_baseline_threshold_bounds_a_too() -> None:
    logs = [a_conversation([0.2, 0.2, 0.05, 0.05])]
    stimuli = _prepare(logs, thresholds={"BASELINE": DriftRange(below=0.1)}).stimuli
    assert [s.pair.a.number for s in stimuli.stimuli] == [3]


def test_quantiles_take_the_thresholds_from_what_was_observed() -> None:
    logs = [a_conversation([n / 100 for n in range(1, 11)], id=f"c{k}", metric="cosine", high=1.0) for k in range(3)]
    preparation = _prepare(logs, quantiles={"BASELINE": DriftRange(below=0.5), "CATASTROPHIC": DriftRange(above=0.8)})
    assert preparation.stimuli.bands == {"BASELINE": DriftRange(below=0.05), "CATASTROPHIC": DriftRange(above=0.08)}
    assert preparation.stimuli.standing == "not the protocol's condition"


def test_quantiles_that_fall_together_are_refused_with_what_was_observed() -> None:
    first, *others = s3().conditions
    middle = replace(others[0], name="WARNING", prefix="WARN", drift=DriftRange(above=0.5, below=0.8))
    protocol = replace(s3(), conditions=(first, middle))
    options = PrepareOptions(quantiles={"WARNING": DriftRange(above=0.1, below=0.2)})
    with pytest.raises(
        MetricError, match=r"--quantiles WARNING=0.1-0.2: both are 0.000, .*observed drift of 5 replies"
    ):
        prepare_pairs(protocol, ListedLogs([a_conversation([0.0] * 5)]), metrics(), options)


@pytest.mark.parametrize("option", ["thresholds", "quantiles"])
def test_a_condition_that_is_not_in_the_study_is_told(option: str) -> None:
    with pytest.raises(MetricError, match="'X'"):
        _prepare([a_conversation()], **{option: {"X": DriftRange(above=0.5)}})


def test_a_threshold_and_a_quantile_for_one_condition_are_refused() -> None:
    both = {"CATASTROPHIC": DriftRange(above=0.5)}
    with pytest.raises(MetricError, match="give one of the two"):
        _prepare([a_conversation()], thresholds=both, quantiles=both)


def test_a_metric_that_is_neither_recorded_nor_computable_is_told_with_what_there_is() -> None:
    with pytest.raises(MetricError, match=r"'nope': not recorded in these logs \(recorded: keyword-rms/s7\)"):
        _prepare([a_conversation()], metric="nope")


def test_options_that_match_nothing_are_said() -> None:
    logs = [a_conversation(), a_conversation(id="d", provider=None)]
    preparation = _prepare(logs, providers={"typo": "xai"}, metric_name="m")
    assert preparation.unused == (
        "--providers: no conversation for 1 id, the first 'typo'",
        "--metric-name: every drift in these logs has a name already",
    )
    assert preparation.without_provider == 1


def test_a_rejected_conversation_is_left_out() -> None:
    protocol = replace(s3(), selection=replace(s3().selection, exclude_conversations=("a",)))
    preparation = prepare_pairs(protocol, ListedLogs([a_conversation(id="a"), a_conversation(id="b")]), metrics())
    assert preparation.left_out == 1
    assert {s.pair.conversation_id for s in preparation.stimuli.stimuli} == {"b"}


def test_drift_can_be_measured_where_none_was_recorded() -> None:
    texts = [prose(240, f"m{n}") for n in range(5)] + [prose(200, "odd") + " Perhaps I feel afraid, lost, unsure. " * 7]
    turns = tuple(Turn(i=i, role=Role.ASSISTANT, text=text) for i, text in enumerate([*texts[:5], texts[5]]))
    stimuli = _prepare([Conversation(id="c", provider="xai", turns=turns)], metric="keyword-rms/limen-1").stimuli
    assert stimuli.metric == "keyword-rms/limen-1"
    assert stimuli.standing == "protocol thresholds on Limen's lexicon"
    assert [s.pair.condition for s in stimuli.stimuli] == ["CATASTROPHIC"]


def test_conversations_without_the_required_tags_are_left_out_and_counted() -> None:
    protocol = replace(s3(), selection=replace(s3().selection, tags_required={"arm": "treatment"}))
    logs = [a_conversation(id="a", tags={"arm": "treatment"}), a_conversation(id="b", tags={"arm": "control"})]
    preparation = prepare_pairs(protocol, ListedLogs(logs), metrics())
    assert preparation.left_out == 1
    assert {s.pair.conversation_id for s in preparation.stimuli.stimuli} == {"a"}


@pytest.mark.parametrize(
    ("selection", "options", "said"),
    [
        ({"tags_required": {"arm": "treatment"}}, {}, r"2 by tags_required \(arm = treatment\)"),
        ({"exclude_conversations": ("a", "b")}, {}, "2 by exclude_conversations"),
        (
            {"exclude_conversations": ("a",), "tags_required": {"arm": "treatment"}},
            {"quantiles": {"CATASTROPHIC": DriftRange(above=0.5)}},
            r"1 by exclude_conversations, 1 by tags_required \(arm = treatment\)",
        ),
    ],
)
def test_where_all_conversations_are_left_out_it_is_said_by_what(
    selection: dict[str, Any], options: dict[str, Any], said: str
) -> None:
    protocol = replace(s3(), selection=replace(s3().selection, **selection))
    logs = ListedLogs([a_conversation(id="a"), a_conversation(id="b")])
    with pytest.raises(InputError, match=rf"nothing is left of 2 conversations: {said}; change tags_required"):
        prepare_pairs(protocol, logs, metrics(), PrepareOptions(**options))


def test_an_excluded_id_that_no_conversation_has_is_said() -> None:
    protocol = replace(s3(), selection=replace(s3().selection, exclude_conversations=("a", "typo")))
    preparation = prepare_pairs(protocol, ListedLogs([a_conversation(id="a"), a_conversation(id="b")]), metrics())
    assert preparation.unused == ("exclude_conversations: no conversation for 1 id, the first 'typo'",)


def test_problems_are_all_counted_and_the_first_thousand_kept() -> None:
    problems = [LogProblem(file="f", record=f"line {n}", reason="not JSON") for n in range(1500)]
    preparation = prepare_pairs(s3(), ListedLogs([a_conversation(), *problems]), metrics())
    assert preparation.problems.total == 1500
    assert preparation.problems.by_reason == {"not JSON": 1500}
    assert len(preparation.problems.examples) == 1000


def test_a_reason_that_comes_late_has_an_example_too() -> None:
    problems = [LogProblem(file="f", record=f"line {n}", reason="not JSON") for n in range(1100)]
    late = LogProblem(file="f", record="line 1101", reason="of no known format")
    preparation = prepare_pairs(s3(), ListedLogs([a_conversation(), *problems, late]), metrics())
    assert preparation.problems.examples[-1] == late


def test_no_log_at_all_is_told_and_not_an_empty_study() -> None:
    with pytest.raises(MetricError, match="no drift in 0 conversations"):
        _prepare([])
