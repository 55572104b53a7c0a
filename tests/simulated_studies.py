"""Analyses to report on: simulated observers through the whole workflow, with good defaults."""

import html
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import UTC, datetime
from functools import cache
from typing import Any, get_args, get_type_hints

import numpy as np

from builders import s3
from limen.core.analysis.estimates import Undetermined
from limen.core.analysis.trials import Participants, ShownStimulus, TaskClock, TrialTable
from limen.core.debrief import DebriefRecord
from limen.core.findings import Analysis, DataProblem
from limen.core.judgment import Response
from limen.core.protocol import Condition, ConditionRole, DriftRange, Protocol
from limen.core.simulation import Observers, Readers, simulate_response_times_ms, simulate_study
from limen.report.contents import compose
from limen.report.document import Document
from limen.report.figures.gallery import plot_all
from limen.report.figures.plotted import LeftOut, Plotted
from limen.report.html import render_html
from limen.report.markdown import render_markdown
from limen.workflow.analyze import Making, analyze
from limen.workflow.collected import Arrivals, Collected, Material

MADE_AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
VERSIONS = {"limen": "0.0.0", "python": "3.11.0", "numpy": "2.0.0", "scipy": "1.14.0", "matplotlib": "3.10.0"}
PROVIDERS = ("anthropic", "google", "openai", "other", "xai")


ABLE = Observers(d_prime=1.6, criterion=0.1, d_prime_sd=0.3, criterion_sd=0.4, pair_sd=0.4)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to simulate."""

    raters: int = 10
    observers: Observers = ABLE
    seed: int = 11
    mode: str | None = "live"
    metric: str | None = "keyword-rms/s7"
    standing: str | None = None
    conditions: int = 2
    bad: bool = True  # some participants whom a rule hits
    table_only: bool = False  # the instrument's columns and nothing else
    other: tuple[str, ...] = ("It stopped listening to me", "the tone")


@dataclass(frozen=True, kw_only=True)
class Undrawn:
    """A report without its drawings."""

    document: Document
    plots: Mapping[str, Plotted | LeftOut]
    html: str
    markdown: str


@cache
def an_analysis(plan: Plan = Plan()) -> Analysis:
    """Simulate and analyze."""
    protocol = protocol_with(plan.conditions)
    return analyze(_collected(plan, protocol), protocol, Making(at=MADE_AT, versions=VERSIONS, built_in=s3()))


def protocol_with(conditions: int) -> Protocol:
    """Give the built-in protocol with so many conditions, the further ones in between."""
    protocol = s3()
    if conditions == 2:
        return protocol
    low, high = protocol.conditions
    edges = np.linspace(0.30, 1.00, conditions - 1).round(2).tolist()
    between = tuple(
        Condition(
            name=f"ZONE_{number}",
            prefix=f"ZONE{number}",
            role=ConditionRole.BETWEEN,
            drift=DriftRange(above=above, below=below),
            count=low.count,
            a_replies=low.a_replies,
            b_replies=high.b_replies,
        )
        for number, (above, below) in enumerate(itertools.pairwise(edges), start=1)
    )
    return replace(protocol, conditions=(low, *between, high))


def everything_undetermined(analysis: Analysis) -> Analysis:
    """Replace every number that may be undetermined by a reason."""
    nothing = Undetermined(reason="there is too little to tell")

    def emptied(value: Any, hint: Any) -> Any:
        if Undetermined in get_args(hint) and not isinstance(value, Undetermined):
            return nothing
        if is_dataclass(value) and not isinstance(value, type):
            hints = get_type_hints(type(value))
            return replace(value, **{f.name: emptied(getattr(value, f.name), hints[f.name]) for f in fields(value)})
        if isinstance(value, Mapping):
            inner = get_args(hint)[1] if len(get_args(hint)) == 2 else None
            return {key: emptied(part, inner) for key, part in value.items()}
        if isinstance(value, tuple):
            inner = get_args(hint)[0] if get_args(hint) else None
            return tuple(emptied(part, inner) for part in value)
        return value

    emptied_analysis: Analysis = emptied(analysis, Analysis)
    return replace(emptied_analysis, protocol=analysis.protocol, study=analysis.study, made=analysis.made)


def _collected(plan: Plan, protocol: Protocol) -> Collected:
    rng = np.random.default_rng(plan.seed)
    stimuli = _stimuli(protocol, rng)
    places = [place for place, stimulus in enumerate(stimuli) if stimulus.is_pair]
    checks = [place for place, stimulus in enumerate(stimuli) if not stimulus.is_pair]
    names = [stimuli[place].condition or "" for place in places]
    count = len(protocol.conditions)
    signal = {c.name: -0.5 + k / (count - 1) for k, c in enumerate(protocol.conditions)}
    off = simulate_study(
        plan.observers, condition_of_pair=names, signal=signal, raters=plan.raters, rng=rng
    ).ratings.off.tolist()
    words = [520 if stimulus.words is None else stimulus.words for stimulus in stimuli]
    times = simulate_response_times_ms(Readers(), words=words, raters=plan.raters, rng=rng).tolist()
    rows = []
    for rater in range(plan.raters):
        answers = dict(zip(places, off[rater], strict=True))
        answers |= {place: stimuli[place].expected is Response.SOMETHINGS_OFF for place in checks}
        rows += _trials(rater, answers, times[rater], rng.permutation(len(stimuli)).tolist())
    ids = [f"P{number:04d}" for number in range(1, plan.raters + 1)]
    task_ms = [int(sum(trial_times)) for trial_times in times]
    if plan.bad:
        rows, ids, task_ms = _with_bad_ones(plan, rows, ids, task_ms, stimuli, checks)
    columns = list(zip(*rows, strict=True))
    known = not plan.table_only
    table = TrialTable(
        mode=plan.mode if known else None,
        conditions=tuple(condition.name for condition in protocol.conditions),
        participants=Participants.of(
            ids,
            trials_planned=[len(stimuli)] * len(ids) if known else None,
            main_task_ms=task_ms if known else None,
            main_task_clock=[TaskClock.SERVER] * len(ids) if known else None,
        ),
        stimuli=tuple(stimuli if known else map(_bare, stimuli)),
        participant=np.array(columns[0], dtype=np.int64),
        trial_number=np.array(columns[1], dtype=np.int64),
        stimulus=np.array(columns[2], dtype=np.int64),
        off=np.array(columns[3], dtype=np.bool_),
        response_time_ms=np.array(columns[4], dtype=np.int64) if known else None,
        copies=np.zeros(len(rows), dtype=np.int64) if known else None,
        focus_losses=np.zeros(len(rows), dtype=np.int64) if known else None,
    )
    if plan.table_only:
        return Collected(table=table, source="raw_responses.csv")
    people = len(ids)
    return Collected(
        table=table,
        source="study store",
        arrivals=Arrivals(landed=people + 7, consented=people + 4, screened_in=people + 2, withdrawn=1),
        debrief=tuple(_debrief(place, name, plan.other) for place, name in enumerate(ids)),
        material=Material(metric=plan.metric, standing=plan.standing, digest="5" * 64),
        problems=(
            DataProblem(
                reason="answer sent twice", count=2, rule="one is kept", examples=("P0003, trial 4", "P0004, trial 9")
            ),
        ),
    )


def _stimuli(protocol: Protocol, rng: np.random.Generator) -> list[ShownStimulus]:
    found = []
    for condition in protocol.conditions:
        low = 0.05 if condition.drift.above is None else condition.drift.above + 0.01
        high = low + 0.8 if condition.drift.below is None else condition.drift.below - 0.01
        drifts = sorted(rng.uniform(low, high, condition.count).round(3).tolist())
        found += [
            ShownStimulus(
                stimulus_id=f"{condition.prefix}_{number:02d}",
                condition=condition.name,
                expected=condition.expected,
                drift_a=round(float(rng.uniform(0.02, 0.34)), 3),
                drift_b=drift,
                provider=PROVIDERS[number % 5],
                words_a=int(rng.integers(200, 301)),
                words_b=int(rng.integers(200, 301)),
            )
            for number, drift in enumerate(drifts, start=1)
        ]
    found += [
        ShownStimulus(stimulus_id=check.id, condition=None, expected=check.expected)
        for check in protocol.attention_checks
    ]
    return found


def _trials(
    rater: int, answers: Mapping[int, bool], times: Sequence[int], order: Sequence[int]
) -> list[tuple[int, int, int, bool, int]]:
    return [(rater, n, place, bool(answers[place]), int(times[place])) for n, place in enumerate(order, start=1)]


def _with_bad_ones(
    plan: Plan,
    rows: list[tuple[int, int, int, bool, int]],
    ids: list[str],
    task_ms: list[int],
    stimuli: list[ShownStimulus],
    checks: list[int],
) -> tuple[list[tuple[int, int, int, bool, int]], list[str], list[int]]:
    """Add one who left, one who failed the checks, and one who was too fast and always said NORMAL."""
    first, everything = plan.raters, range(len(stimuli))
    left = [(first, n, place, place % 2 == 0, 30_000) for n, place in enumerate(range(9), start=1)]
    wrong = {place: stimuli[place].expected is not Response.SOMETHINGS_OFF for place in checks}
    failed = [(first + 1, n, p, wrong.get(p, p % 3 == 0), 40_000) for n, p in enumerate(everything, start=1)]
    fast = [(first + 2, n, place, False, 2_000) for n, place in enumerate(everything, start=1)]
    names = [f"P{number:04d}" for number in range(first + 1, first + 4)]
    return rows + left + failed + fast, ids + names, [*task_ms, 270_000, 920_000, 46_000]


def _bare(stimulus: ShownStimulus) -> ShownStimulus:
    return ShownStimulus(stimulus_id=stimulus.stimulus_id, condition=stimulus.condition, expected=stimulus.expected)


def _debrief(place: int, name: str, other: tuple[str, ...]) -> DebriefRecord:
    if place % 4 == 3:
        return DebriefRecord(participant=name)
    return DebriefRecord(
        participant=name,
        strategies=(place % 3, 3),
        other=other[place % len(other)] if place % 5 == 0 else "",
        age=place % 4,
        use=place % 3,
    )


def undrawn(analysis: Analysis) -> Undrawn:
    """Write a report with each figure replaced by a digest of what it would show: quick, and good to compare."""
    document, plots = compose(analysis), plot_all(analysis)
    stand_ins = {
        key: f'<svg role="img" aria-label="{html.escape(plot.alternative)}" data-plotted="{plot.digest()}"></svg>'
        for key, plot in plots.items()
        if isinstance(plot, Plotted)
    }
    return Undrawn(
        document=document,
        plots=plots,
        html=render_html(document, plots, stand_ins),
        markdown=render_markdown(document, plots),
    )
