"""Plain functions that build answers with good defaults."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from builders import s3
from limen.core.analysis.estimates import Undetermined
from limen.core.analysis.hierarchical import ConditionModels
from limen.core.analysis.trials import Participants, ShownStimulus, TaskClock, TrialTable
from limen.core.companions import estimate_companions
from limen.core.conclusion import conclude
from limen.core.estimation import estimate_as_specified, evidence_for
from limen.core.exclusion import judge_participants
from limen.core.findings import Analysis
from limen.core.hypotheses import Hypotheses, answer_hypotheses
from limen.core.judgment import Response
from limen.core.outcome import Outcome, decide
from limen.core.protocol import Protocol
from limen.core.sample import take_sample
from limen.workflow.analyze import Making, analyze
from limen.workflow.collected import Collected

NOW = datetime(2026, 3, 1, tzinfo=UTC)
TASK_MS = 900_000


def making() -> Making:
    return Making(at=NOW, versions={"limen": "0"}, built_in=s3())


def some_stimuli(protocol: Protocol | None = None, pairs: int | None = None) -> tuple[ShownStimulus, ...]:
    """Give every pair and check of a protocol, with drift, provider and words."""
    protocol = protocol or s3()
    providers = ("anthropic", "openai", "google", "xai", "other")
    made = [
        ShownStimulus(
            stimulus_id=f"{condition.prefix}_{number:02d}",
            condition=condition.name,
            expected=condition.expected,
            drift_a=0.05 * number,
            drift_b=0.02 * number + (condition.drift.above or 0.0),
            provider=providers[number % 5],
            words_a=240,
            words_b=250,
        )
        for condition in protocol.conditions
        for number in range(1, (pairs or condition.count) + 1)
    ]
    checks = [
        ShownStimulus(stimulus_id=check.id, condition=None, expected=check.expected, words_a=200, words_b=200)
        for check in protocol.attention_checks
    ]
    return (*made, *checks)


@dataclass(frozen=True, kw_only=True)
class Rater:
    """One participant for `a_table`: answers by condition, checks failed, answers left out, time taken."""

    off: Mapping[str, Sequence[bool]]
    fails: int = 0
    answered: int | None = None  # only the first so many trials
    task_ms: int = TASK_MS
    response_time_ms: int = 30_000
    copies: int = 0
    focus_losses: int = 0


def a_rater(baseline: int = 2, target: int = 8, *, pairs: int = 10, shift: int = 0, **more: object) -> Rater:
    """Build a rater who says OFF of so many pairs of each condition, beginning at pair `shift`."""
    return Rater(
        off={
            "BASELINE": _said(baseline, pairs, shift),
            "CATASTROPHIC": _said(target, pairs, shift),
        },
        **more,  # type: ignore[arg-type]
    )


def _said(count: int, pairs: int, shift: int) -> list[bool]:
    said = {(shift + k) % pairs for k in range(count)}
    return [place in said for place in range(pairs)]


def a_table(
    raters: Sequence[Rater],
    *,
    protocol: Protocol | None = None,
    stimuli: tuple[ShownStimulus, ...] | None = None,
    mode: str | None = "live",
    ids: Callable[[int], str] = lambda number: f"P{number:03d}",
) -> TrialTable:
    """Build a table: each rater answers the pairs in order, then the checks, the first `fails` of them wrongly."""
    protocol = protocol or s3()
    shown = stimuli or some_stimuli(protocol)
    columns: dict[str, list[int]] = {name: [] for name in ("who", "trial", "what", "off", "time", "copies", "focus")}
    for who, rater in enumerate(raters):
        seen: dict[str, int] = {}
        checks = 0
        for place, stimulus in enumerate(shown):
            if stimulus.condition is None:
                right = stimulus.expected is Response.SOMETHINGS_OFF
                off = right if checks >= rater.fails else not right
                checks += 1
            else:
                number = seen.get(stimulus.condition, 0)
                seen[stimulus.condition] = number + 1
                off = rater.off[stimulus.condition][number]
            if rater.answered is not None and place >= rater.answered:
                continue
            row = (who, place + 1, place, int(off), rater.response_time_ms, rater.copies, rater.focus_losses)
            for name, value in zip(columns, row, strict=True):
                columns[name].append(value)
    arrays = {name: np.array(values, dtype=np.int64) for name, values in columns.items()}
    people = len(raters)
    return TrialTable(
        mode=mode,
        conditions=tuple(condition.name for condition in protocol.conditions),
        participants=Participants.of(
            [ids(number) for number in range(1, people + 1)],
            trials_planned=[len(shown)] * people,
            main_task_ms=[rater.task_ms for rater in raters],
            main_task_clock=[TaskClock.SERVER] * people,
        ),
        stimuli=shown,
        participant=arrays["who"],
        trial_number=arrays["trial"],
        stimulus=arrays["what"],
        off=arrays["off"] == 1,
        response_time_ms=arrays["time"],
        timestamp_us=1_760_000_000_000_000 + arrays["trial"] * 30_000_000,
        attempt=np.ones(arrays["who"].size, dtype=np.int64),
        copies=arrays["copies"],
        focus_losses=arrays["focus"],
    )


def an_analysis(table: TrialTable, protocol: Protocol | None = None, **more: object) -> Analysis:
    collected = Collected(table=table, source="built", **more)  # type: ignore[arg-type]
    return analyze(collected, protocol or s3(), making())


def a_conclusion(table: TrialTable, protocol: Protocol | None = None) -> tuple[Outcome, Hypotheses]:
    """Give outcome and hypotheses alone; they need no model, and fitting takes most of an analysis."""
    protocol = protocol or s3()
    sample = take_sample(table, protocol, judge_participants(table, protocol).kept)
    found = estimate_as_specified(sample, protocol)
    unfitted = Undetermined(reason="not fitted")
    models = ConditionModels(logit=unfitted, probit=unfitted, logit_slope=unfitted, probit_slope=unfitted)
    beside = estimate_companions(sample, protocol, models)
    evidence = evidence_for(sample, found, protocol.decision.agreement_scope)
    verdict = decide(evidence, protocol.decision, protocol.study.minimum_raters)
    return (
        conclude(sample, found, beside, protocol, metric="keyword-rms/s7"),
        answer_hypotheses(sample, found, beside, verdict, evidence, protocol),
    )


def without_made(analysis: Analysis) -> Analysis:
    """Take out what differs between two ways of reading the same answers."""
    return replace(analysis, made=replace(analysis.made, source=""))


def shuffled(table: TrialTable, seed: int = 1) -> TrialTable:
    """Give the same table made from rows, participants and stimuli in another order."""
    rng = np.random.default_rng(seed)
    people, shown = rng.permutation(len(table.participants)), rng.permutation(len(table.stimuli))
    rows = rng.permutation(table.rows)
    back_people, back_shown = np.argsort(people), np.argsort(shown)
    return replace(
        table,
        participants=table.participants.chosen(people),
        stimuli=tuple(table.stimuli[place] for place in shown),
        participant=back_people[table.participant[rows]],
        stimulus=back_shown[table.stimulus[rows]],
        trial_number=table.trial_number[rows],
        off=table.off[rows],
        response_time_ms=None if table.response_time_ms is None else table.response_time_ms[rows],
        timestamp_us=None if table.timestamp_us is None else table.timestamp_us[rows],
        attempt=None if table.attempt is None else table.attempt[rows],
        copies=None if table.copies is None else table.copies[rows],
        focus_losses=None if table.focus_losses is None else table.focus_losses[rows],
    )
