"""From logs to a set of pairs: read, measure or take over drift, pair, select, assemble."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from limen.core.confounds import unmatched
from limen.core.conversation import Conversation, DriftOrigin, reference_texts, without_void_drift
from limen.core.drift import Metric, measure
from limen.core.funnel import Tally
from limen.core.log_problems import Problems
from limen.core.numerals import counted
from limen.core.observed import ObservedDrift
from limen.core.pair import UNKNOWN_PROVIDER, Pair, Selection, Unmatched
from limen.core.pairing import find_pairs, resolve_provider
from limen.core.pool import Pool
from limen.core.protocol import NOT_THE_PROTOCOLS, RECORDED, UNKNOWN_METRIC, DriftRange, Protocol
from limen.core.replacement import keep_spares
from limen.core.review import with_contexts
from limen.core.selection import select_pairs
from limen.core.stimuli import assemble, measured_apart
from limen.errors import InputError, MetricError
from limen.workflow.ports import Logs, Metrics
from limen.workflow.preparation import Preparation, PrepareOptions
from limen.workflow.readable import Readable

BETWEEN_A_AND_B = ("keyword-rms/limen-1", "lexical-char4")
"""The metrics by which the distance from A to B, as raters compare them, is given for every pair."""


def prepare_pairs(
    protocol: Protocol, logs: Logs, metrics: Metrics, options: PrepareOptions | None = None
) -> Preparation:
    """Read the logs and choose the pairs. Raises MetricError when a condition cannot be reached at all."""
    options = options or PrepareOptions()
    twice = sorted(set(options.thresholds) & set(options.quantiles))
    if twice:
        raise MetricError(f"{twice[0]} has a threshold and a quantile; give one of the two")
    declared = protocol
    own_thresholds = bool(options.thresholds or options.quantiles)
    if options.quantiles:
        scan = _Scan(protocol=protocol, metrics=metrics, options=options)
        scan.run(logs)
        protocol = _with_thresholds(protocol, _from_quantiles(scan.observed, options.quantiles))
    protocol = _with_thresholds(protocol, options.thresholds)
    scan = _Scan(protocol=protocol, metrics=metrics, options=options)
    scan.run(logs)
    metric = scan.one_metric()
    _refuse_out_of_reach(protocol, metric, scan)
    selection = select_pairs(scan.pool, protocol)
    scan.pool.count_fallen_out(selection)
    between = tuple(metrics.find(name) for name in BETWEEN_A_AND_B)
    stimuli = assemble(
        selection,
        protocol,
        metric=metric,
        funnel=scan.tally.funnel(tuple(condition.name for condition in protocol.conditions)),
        between=between,
    )
    stimuli = replace(with_contexts(stimuli, options.review), unmatched=_without_matching(scan.pool, protocol))
    if own_thresholds:
        stimuli = replace(stimuli, selection_digest=declared.selection_digest())
    if own_thresholds or (options.built_in is not None and declared.departs_from(options.built_in, metric)):
        stimuli = replace(stimuli, standing=NOT_THE_PROTOCOLS)
    return Preparation(
        stimuli=stimuli,
        protocol=protocol,
        sources=tuple(logs.sources),
        problems=scan.problems,
        observed=scan.observed,
        conversations=scan.conversations,
        left_out=scan.left_out,
        without_provider=scan.without_provider,
        unused=scan.unused(),
        candidates=_for_empty_slots(scan.pool, selection, protocol, between),
    )


@dataclass(slots=True, kw_only=True)
class _Scan:
    """One pass over the logs."""

    protocol: Protocol
    metrics: Metrics
    options: PrepareOptions
    tally: Tally = field(default_factory=Tally)
    observed: ObservedDrift = field(default_factory=ObservedDrift)
    origins: Counter[DriftOrigin] = field(default_factory=Counter)
    problems: Problems = field(init=False)
    conversations: int = 0
    left_out_by: Counter[str] = field(default_factory=Counter)
    without_provider: int = 0
    recorded: Counter[str] = field(default_factory=Counter)
    named: int = 0
    ids_matched: set[str] = field(default_factory=set)
    excluded: set[str] = field(default_factory=set)
    pool: Pool = field(init=False)

    def __post_init__(self) -> None:
        self.pool = Pool(self.protocol, self.tally)

    def run(self, logs: Logs) -> None:
        readable = Readable(logs)
        for conversation in readable:
            self.conversations += 1
            left_out_by = self._why_left_out(conversation)
            if left_out_by is None:
                self._take_in(self._with_drift(conversation))
            else:
                self.left_out_by[left_out_by] += 1
        self.problems = readable.problems()
        if self.conversations and self.left_out == self.conversations:
            by = ", ".join(f"{count} by {why}" for why, count in sorted(self.left_out_by.items()))
            raise InputError(
                f"nothing is left of {counted(self.conversations, 'conversation')}: {by}; "
                "change tags_required or exclude_conversations in [selection] of study.toml, or the review"
            )

    @property
    def left_out(self) -> int:
        """How many conversations were not looked at."""
        return self.left_out_by.total()

    def _why_left_out(self, conversation: Conversation) -> str | None:
        rule = self.protocol.selection
        if conversation.id in rule.exclude_conversations:
            self.excluded.add(conversation.id)
            return "exclude_conversations"
        if conversation.id in self.options.review.rejected_conversations:
            return "the review"
        if rule.tags_required.items() <= conversation.tags.items():
            return None
        return f"tags_required ({', '.join(f'{tag} = {value}' for tag, value in rule.tags_required.items())})"

    def one_metric(self) -> str:
        """Give the one metric of these logs; a set with two of them has no thresholds."""
        counts: Counter[str] = Counter()
        for origin, times in self.origins.items():
            counts[origin.metric] += times
        if len(counts) == 1:
            return next(iter(counts))
        wanted = self.options.metric or self.protocol.drift.metric
        if not counts and wanted != RECORDED and not self.metrics.can_compute(wanted):
            raise self._neither_recorded_nor_measured(wanted)
        if not counts:
            raise MetricError(
                f"no drift in {counted(self.conversations, 'conversation')}: these logs hold none that counts; "
                "let Limen measure it with --metric keyword-rms/limen-1 or --metric lexical-char4"
            )
        found = ", ".join(f"{name} ({counted(n, 'conversation')})" for name, n in sorted(counts.items()))
        raise MetricError(
            f"drift by {len(counts)} metrics in these logs: {found}; a threshold belongs to one metric: choose it "
            "with --metric NAME, or name the unknown one with --metric-name NAME"
        )

    def _neither_recorded_nor_measured(self, wanted: str) -> MetricError:
        held = ", ".join(sorted(self.recorded)) or "none"
        try:
            self.metrics.find(wanted)
        except MetricError as problem:
            said = f"metric {wanted!r}: not recorded in these logs (recorded: {held}); {problem}"
            return MetricError(f"{said}; --metric {RECORDED} takes over what is recorded" if self.recorded else said)
        return MetricError(f"metric {wanted!r}: not recorded in these logs (recorded: {held})")

    def unused(self) -> tuple[str, ...]:
        """Say which options matched nothing, so that a slip of the pen does not pass unseen."""
        said = []
        idle = [name for name in self.options.providers if name not in self.ids_matched]
        if idle:
            said.append(f"--providers: no conversation for {counted(len(idle), 'id')}, the first {idle[0]!r}")
        unknown = [name for name in self.protocol.selection.exclude_conversations if name not in self.excluded]
        if unknown:
            said.append(
                f"exclude_conversations: no conversation for {counted(len(unknown), 'id')}, the first {unknown[0]!r}"
            )
        if self.options.metric_name and not self.named:
            said.append("--metric-name: every drift in these logs has a name already")
        return tuple(said)

    def _with_drift(self, conversation: Conversation) -> Conversation:
        wanted = self.options.metric or self.protocol.drift.metric
        if wanted != RECORDED and self.metrics.can_compute(wanted):
            return measure(conversation, self.metrics.find(wanted))
        found = conversation.drift
        if found:
            self.recorded[found.metric] += 1
        if found and found.metric == UNKNOWN_METRIC and self.options.metric_name:
            found = replace(found, metric=self.options.metric_name)
            self.named += 1
        if found and wanted not in (RECORDED, found.metric):
            found = None
        if found is None:
            turns = tuple(replace(turn, drift=None) for turn in conversation.turns)
            return replace(conversation, drift=None, turns=turns)
        return without_void_drift(replace(conversation, drift=found))

    def _take_in(self, conversation: Conversation) -> None:
        drifts = [reply.turn.drift for reply in conversation.replies if reply.turn.drift is not None]
        if conversation.drift is not None and drifts:
            self.origins[conversation.drift] += 1
        for drift in drifts:
            self.observed.add(drift)
        self.ids_matched |= {conversation.id, conversation.id.partition(":")[2]} & self.options.providers.keys()
        provider = resolve_provider(conversation, self.protocol, self.options.providers)
        self.without_provider += provider == UNKNOWN_PROVIDER
        ruler = self._ruler(conversation)
        pairs = list(find_pairs(conversation, provider, self.protocol, ruler, self.tally))
        self.pool.add(pairs)

    def _ruler(self, conversation: Conversation) -> Metric | None:
        origin = conversation.drift
        if origin is None or not self.metrics.can_compute(origin.metric):
            return None
        return self.metrics.find(origin.metric) if "".join(reference_texts(conversation)).strip() else None


def _for_empty_slots(
    pool: Pool, selection: Selection, protocol: Protocol, between: tuple[Metric, ...]
) -> tuple[Pair, ...]:
    """Give what a slot can be filled from when a person rejects its pair."""
    used = {pair.conversation_id for pair in (*selection.pairs, *selection.spares)}
    free = [pair for pair in pool.candidates() if pair.conversation_id not in used]
    return tuple(measured_apart(pair, between) for pair in keep_spares(free, protocol))


def _without_matching(pool: Pool, protocol: Protocol) -> tuple[Unmatched, ...]:
    """Say what the conditions would differ in if nothing were matched; nothing to say where nothing is."""
    if not protocol.selection.match:
        return ()
    plain = replace(protocol, selection=replace(protocol.selection, match=()))
    return unmatched(select_pairs(pool, plain).pairs, plain)


def _with_thresholds(protocol: Protocol, ranges: Mapping[str, DriftRange]) -> Protocol:
    known = {condition.name for condition in protocol.conditions}
    for name in ranges:
        if name not in known:
            raise MetricError(f"condition {name!r} is not in the study; its conditions are {', '.join(sorted(known))}")
    return protocol.with_ranges(ranges)


def _from_quantiles(observed: ObservedDrift, quantiles: Mapping[str, DriftRange]) -> dict[str, DriftRange]:
    if observed.n == 0:
        raise MetricError("no drift was observed, so there are no quantiles; choose a metric with --metric")

    def at(share: float | None) -> float | None:
        return None if share is None else observed.quantile(share)

    ranges = {}
    for name, shares in quantiles.items():
        above, below = at(shares.above), at(shares.below)
        if above is not None and below is not None and above >= below:
            raise MetricError(
                f"--quantiles {name}={shares.above:g}-{shares.below:g}: both are {above:.3f}, so that no drift lies "
                f"between them ({observed.sentence()}); give shares further apart, or --thresholds {name}=LOW-HIGH"
            )
        ranges[name] = DriftRange(above=above, below=below)
    return ranges


def _refuse_out_of_reach(protocol: Protocol, metric: str, scan: _Scan) -> None:
    tops = [origin.high for origin in scan.origins]
    top = None if None in tops else max((high for high in tops if high is not None), default=None)
    bottom = min((origin.low for origin in scan.origins), default=0.0)
    for condition in protocol.conditions:
        above, below = condition.drift.above, condition.drift.below
        too_high = above is not None and top is not None and above >= top
        too_low = below is not None and below <= bottom
        if too_high or too_low:
            reach = f"{bottom:g} to {top:g}" if top is not None else f"{bottom:g} upwards"
            raise MetricError(
                f"{condition.name} wants drift {condition.drift}, but {metric} goes from {reach} and can never "
                f"reach it ({scan.observed.sentence()}); give thresholds for this metric with "
                f"--thresholds {condition.name}=… or --quantiles {condition.name}=…, or use another metric"
            )
