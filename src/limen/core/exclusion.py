"""Who is left out of the analysis, by which declared rule, and on what evidence.

A rule is a function from the table to what it found; a new one is a function and its line in `_RULES`. Every
rule hit is recorded; the flow attributes a participant to the first one in the protocol's order. A rule that the
table cannot answer is not assessed, which is not the same as passed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limen.core import notation
from limen.core.analysis.trials import NO_TIME, NOT_KNOWN, AnswerGrid, TaskClock, TrialTable
from limen.core.criteria import ExclusionKind, ExclusionRule, Scope
from limen.core.judgment import Response
from limen.core.numerals import counted
from limen.core.protocol import Protocol

Flags = NDArray[np.bool_]
Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """A participant left out of the analysis: every rule hit, the one it is counted under, and why."""

    participant: str
    rules: tuple[ExclusionKind, ...]
    first: ExclusionKind
    evidence: str  # for the report: "failed 2 of 3 attention checks (ATT_IDENTICAL, ATT_INSTRUCTION)"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleReport:
    """What became of a declared rule. A rule that the data cannot answer is not assessed, never passed."""

    rule: ExclusionKind
    declared: str  # the rule in words, with its number
    assessed: bool
    hits: int  # participants who meet it
    first_hits: int  # of those, counted under it in the flow
    remark: str = ""  # why it was not assessed, or for whom it could not be


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MainTask:
    """How long each participant took for the main task; `NOT_KNOWN` where no clock says."""

    ms: Whole
    clock: tuple[TaskClock | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judged:
    """Every declared rule applied to every participant."""

    complete: Flags
    hits: Mapping[ExclusionKind, Flags]  # of the declared rules, in their order; all false where not assessed
    exclusions: tuple[Exclusion, ...]
    rules: tuple[RuleReport, ...]

    @property
    def kept(self) -> Flags:
        """Mark the participants whom no rule hits."""
        return self.kept_without()

    def kept_without(self, *switched_off: ExclusionKind) -> Flags:
        """Mark the participants whom no rule hits but those switched off."""
        applied = [hit for kind, hit in self.hits.items() if kind not in switched_off]
        return np.asarray(~np.logical_or.reduce([np.zeros_like(self.complete), *applied]), dtype=np.bool_)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RuleFinding:
    """Whom a rule hits and how to say so; `problem` is set where it cannot be assessed at all."""

    declared: str
    hit: Flags
    evidence: Callable[[int], str]
    problem: str = ""
    remark: str = ""


def judge_participants(table: TrialTable, protocol: Protocol) -> Judged:
    """Apply the protocol's exclusion rules to everyone in the table."""
    seen = _Seen.of(table, protocol)
    findings = {rule.rule: _RULES[rule.rule](seen, rule) for rule in protocol.exclusions}
    hits = {kind: finding.hit for kind, finding in findings.items()}
    exclusions = tuple(_exclusion(table, place, findings) for place in _hit_places(hits))
    first = [exclusion.first for exclusion in exclusions]
    return Judged(
        complete=seen.complete,
        hits=hits,
        exclusions=exclusions,
        rules=tuple(
            RuleReport(
                rule=kind,
                declared=finding.declared,
                assessed=not finding.problem,
                hits=int(finding.hit.sum()),
                first_hits=first.count(kind),
                remark=finding.problem or finding.remark,
            )
            for kind, finding in findings.items()
        ),
    )


def main_task(table: TrialTable) -> MainTask:
    """Give each participant's time for the main task, as recorded or else from the table's own columns.

    From a table alone it is last timestamp − (first timestamp − its response time). A participant with an
    answer that has no timestamp has no time: it could only come out too short.
    """
    people = table.participants
    from_table = _time_from_rows(table)
    recorded = people.main_task_ms != NOT_KNOWN
    derived = ~recorded & (from_table != NOT_KNOWN)
    ms = np.where(recorded, people.main_task_ms, from_table)
    clock = tuple(
        TaskClock.TABLE if by_table else known
        for known, by_table in zip(people.main_task_clock, derived.tolist(), strict=True)
    )
    return MainTask(ms=ms, clock=clock)


def no_variance(table: TrialTable, complete: Flags, over: Scope) -> Flags:
    """Mark the complete participants whose answers, over all trials or over the pairs, are all the same."""
    grid = table.answers()
    if over is Scope.PAIRS:
        grid = AnswerGrid(off=grid.off[:, table.pair_places], answered=grid.answered[:, table.pair_places])
    said_off = grid.off.sum(axis=1)
    alike = (said_off == 0) | (said_off == grid.answered.sum(axis=1))
    return np.asarray(complete & alike & grid.answered.any(axis=1), dtype=np.bool_)


def check_failures(table: TrialTable) -> Flags:
    """Mark, participants × checks, the attention checks answered otherwise than expected."""
    grid, places = table.answers(), table.check_places
    expected = [table.stimuli[place].expected for place in places.tolist()]
    known = np.array([answer is not None for answer in expected], dtype=np.bool_)
    wants_off = np.array([answer is Response.SOMETHINGS_OFF for answer in expected], dtype=np.bool_)
    return np.asarray(grid.answered[:, places] & known & (grid.off[:, places] != wants_off), dtype=np.bool_)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Seen:
    """What the rules look at."""

    table: TrialTable
    protocol: Protocol
    answered: Whole  # trials answered by each participant
    planned: Whole  # trials each was to answer
    complete: Flags

    @classmethod
    def of(cls, table: TrialTable, protocol: Protocol) -> "_Seen":
        answered = np.bincount(table.participant, minlength=len(table.participants)).astype(np.int64)
        by_itself = min(len(table.stimuli), protocol.trial_count)  # nobody is asked for more than the protocol has
        planned = np.where(table.participants.trials_planned == NOT_KNOWN, by_itself, table.participants.trials_planned)
        return cls(table=table, protocol=protocol, answered=answered, planned=planned, complete=answered >= planned)

    @property
    def plans_known(self) -> bool:
        return bool(np.all(self.table.participants.trials_planned != NOT_KNOWN))

    @property
    def checks_missing(self) -> int:
        """How many declared checks the table lacks, where it does not say that they were never planned."""
        found = self.table.check_places.size
        return 0 if self.plans_known else max(0, len(self.protocol.attention_checks) - found)

    def nobody(self) -> Flags:
        return np.zeros(len(self.table.participants), dtype=np.bool_)


def _incomplete(seen: _Seen, rule: ExclusionRule) -> RuleFinding:
    stimuli, declared = len(seen.table.stimuli), seen.protocol.trial_count
    remark = ""
    if not seen.plans_known:
        remark = "the table does not say how many trials were planned: "
        if stimuli > declared:
            remark += f"the protocol's {declared} count as all ({stimuli} stimuli occur in it)"
        else:
            remark += f"the {stimuli} that occur in it count as all"
            remark += f" (the protocol has {declared})" if stimuli != declared else ""
    return RuleFinding(
        declared="not all trials completed",
        hit=~seen.complete,
        evidence=lambda place: f"answered {seen.answered[place]} of {seen.planned[place]} trials",
        remark=remark,
    )


def _failed_attention(seen: _Seen, rule: ExclusionRule) -> RuleFinding:
    table, limit = seen.table, rule.failed_at_least or 1
    places = table.check_places
    total = max(len(seen.protocol.attention_checks), places.size)
    judged = sum(table.stimuli[place].expected is not None for place in places.tolist())
    declared = f"at least {limit} of {total} attention checks failed"
    if judged < limit:
        problem = f"the table holds {judged} attention checks whose right answer is known, of {total}"
        return RuleFinding(declared=declared, hit=seen.nobody(), evidence=_nothing, problem=problem)
    failed = check_failures(table)
    names = np.array([table.stimuli[place].stimulus_id for place in places.tolist()])

    def evidence(place: int) -> str:
        which = ", ".join(names[failed[place]].tolist())
        return f"failed {int(failed[place].sum())} of {total} attention checks ({which})"

    remark = f"only {judged} of {total} attention checks could be judged" if judged < total else ""
    return RuleFinding(declared=declared, hit=failed.sum(axis=1) >= limit, evidence=evidence, remark=remark)


def _too_fast(seen: _Seen, rule: ExclusionRule) -> RuleFinding:
    limit_s = rule.minimum_duration_s or 0
    declared = f"main task faster than {notation.duration(1000 * limit_s)}"
    task = main_task(seen.table)
    known = task.ms != NOT_KNOWN
    unjudged = int((seen.complete & ~known).sum())
    if not np.any(seen.complete & known):
        problem = "no participant who completed all trials has a known time for the main task"
        return RuleFinding(declared=declared, hit=seen.nobody(), evidence=_nothing, problem=problem)
    return RuleFinding(
        declared=declared,
        hit=np.asarray(seen.complete & known & (task.ms < 1000 * limit_s), dtype=np.bool_),
        evidence=lambda place: (
            f"main task in {int(task.ms[place]):,} ms, less than {1000 * limit_s:,} ms ({_CLOCKS[task.clock[place]]})"
        ),
        remark=f"not assessed for {counted(unjudged, 'participant')} whose time is not known" if unjudged else "",
    )


def _without_variance(seen: _Seen, rule: ExclusionRule) -> RuleFinding:
    over = rule.over or Scope.ALL
    what = "all trials" if over is Scope.ALL else "all pairs"
    declared = f"all responses identical, over {what}"
    if over is Scope.ALL and seen.checks_missing:
        problem = f"the rule looks at all trials, and {seen.checks_missing} attention checks are not in the table"
        return RuleFinding(declared=declared, hit=seen.nobody(), evidence=_nothing, problem=problem)
    off = _the_one_answer(seen.table, over)
    count = seen.answered if over is Scope.ALL else np.full_like(seen.answered, seen.table.pair_places.size)

    def evidence(place: int) -> str:
        answer = Response.SOMETHINGS_OFF if off[place] else Response.NORMAL
        return f"answered {answer} in all {count[place]} {'trials' if over is Scope.ALL else 'pairs'}"

    return RuleFinding(declared=declared, hit=no_variance(seen.table, seen.complete, over), evidence=evidence)


def _the_one_answer(table: TrialTable, over: Scope) -> Flags:
    """Tell whether a participant whose answers are all the same said OFF."""
    counted = np.array([over is not Scope.PAIRS or stimulus.is_pair for stimulus in table.stimuli])[table.stimulus]
    off = np.zeros(len(table.participants), dtype=np.bool_)
    off[table.participant[counted]] = table.off[counted]
    return off


_RULES: Mapping[ExclusionKind, Callable[[_Seen, ExclusionRule], RuleFinding]] = {
    ExclusionKind.INCOMPLETE: _incomplete,
    ExclusionKind.ATTENTION: _failed_attention,
    ExclusionKind.TOO_FAST: _too_fast,
    ExclusionKind.NO_VARIANCE: _without_variance,
}

_CLOCKS = {
    TaskClock.SERVER: "by the server's clock",
    TaskClock.PAGE: "by the page's own clock",
    TaskClock.OWN: "by the simulated rater's own clock",
    TaskClock.TABLE: "from the table's timestamps",
    None: "by a clock that is not named",
}


def _nothing(place: int) -> str:
    return ""


def _hit_places(hits: Mapping[ExclusionKind, Flags]) -> list[int]:
    if not hits:
        return []
    return [int(place) for place in np.flatnonzero(np.logical_or.reduce(list(hits.values())))]


def _exclusion(table: TrialTable, place: int, findings: Mapping[ExclusionKind, RuleFinding]) -> Exclusion:
    rules = tuple(kind for kind, finding in findings.items() if finding.hit[place])
    return Exclusion(
        participant=table.participants.ids[place],
        rules=rules,
        first=rules[0],
        evidence="; ".join(findings[kind].evidence(place) for kind in rules),
    )


def _time_from_rows(table: TrialTable) -> Whole:
    people = len(table.participants)
    unknown = np.full(people, NOT_KNOWN, dtype=np.int64)
    stamps, times = table.timestamp_us, table.response_time_ms
    if stamps is None or times is None or table.rows == 0:
        return unknown
    order = np.lexsort((stamps, table.participant))
    who = table.participant[order]
    first = np.flatnonzero(np.diff(who, prepend=-1))
    last = np.append(first[1:], who.size) - 1
    # NO_TIME is the smallest number there is, so a missing timestamp comes first
    known = (stamps[order[first]] != NO_TIME) & (times[order[first]] != NOT_KNOWN)
    elapsed = np.where(known, stamps[order[last]] - np.where(known, stamps[order[first]], 0), 0)
    unknown[who[first]] = np.where(known, elapsed // 1000 + times[order[first]], NOT_KNOWN)
    return unknown
