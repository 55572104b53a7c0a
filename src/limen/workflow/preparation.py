"""What a researcher asks for when pairs are prepared, and what comes of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from limen.core.log_problems import Problems
from limen.core.observed import ObservedDrift
from limen.core.pair import Pair
from limen.core.protocol import Condition, DriftRange, Protocol
from limen.core.review import Review
from limen.core.stimuli import StimulusSet
from limen.workflow.ports import SourceFile


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareOptions:
    """What a researcher can ask for besides the protocol."""

    metric: str | None = None  # in place of the protocol's
    metric_name: str | None = None  # what the logs' unnamed metric is called
    providers: Mapping[str, str] = field(default_factory=dict)  # by conversation id
    thresholds: Mapping[str, DriftRange] = field(default_factory=dict)  # by condition, in place of the protocol's
    quantiles: Mapping[str, DriftRange] = field(default_factory=dict)  # by condition: bounds at these shares
    review: Review = field(default_factory=Review)  # what a person decided about an earlier set
    built_in: Protocol | None = None  # what the study's own thresholds are held against


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparation:
    """A set of pairs and how it came about."""

    stimuli: StimulusSet
    protocol: Protocol  # with the thresholds that were really used
    sources: tuple[SourceFile, ...]
    problems: Problems
    observed: ObservedDrift
    conversations: int
    left_out: int  # by tags_required, exclude_conversations or review
    without_provider: int  # conversations whose provider nothing tells
    unused: tuple[str, ...]  # options that matched nothing, each as a sentence
    candidates: tuple[Pair, ...] = ()  # for slots that have to be filled anew

    @property
    def unreached(self) -> tuple[Condition, ...]:
        """The conditions in whose range not one observed drift lies."""
        return tuple(c for c in self.protocol.conditions if self.observed.within(c.drift) == 0)
