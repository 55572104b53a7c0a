"""Two replies of one conversation, as they are shown, and the pairs that were chosen."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from limen.core.excerpt import count_words
from limen.core.protocol import Condition, Protocol
from limen.core.scrubbing import Scrub

UNKNOWN_PROVIDER = "unknown"
ANY_PROVIDER = "any"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownReply:
    """A reply as it is shown, with what it was. Where the metric cannot be recomputed, both drifts are the recorded."""

    number: int
    text: str
    original: str
    scrubs: tuple[Scrub, ...]
    excerpted: bool
    drift_score: float
    drift_full_text: float

    @property
    def words(self) -> int:
        """How many words are shown."""
        return count_words(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two replies of one conversation for one condition. `flags` are for a person to read."""

    condition: str
    provider: str
    conversation_id: str
    model: str | None
    tags: Mapping[str, str]
    context: str
    drift_metric: str
    a: ShownReply
    b: ShownReply
    topic_shift: float
    flags: tuple[str, ...] = ()
    drift_a_to_b: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The chosen pairs in the order of conditions and quota, and baseline pairs whose texts are spare."""

    pairs: tuple[Pair, ...]
    spares: tuple[Pair, ...]
    strict_count: int  # chosen pairs outside the baseline whose A is in the baseline range


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmatched:
    """What two conditions would differ in had the selection not matched them. None: undetermined."""

    reference: str
    other: str
    auc: float | None
    p: float | None
    in_b: Mapping[str, float | None]
    change: Mapping[str, float | None]


def cell_of(provider: str, condition: Condition, protocol: Protocol) -> str | None:
    """Tell which cell of the quota a provider's pair can fill: None when no cell, "any" without a quota."""
    quota = protocol.quota_of(condition)
    if not quota:
        return ANY_PROVIDER
    if quota.get(provider, 0) > 0:
        return provider
    unnamed = provider != UNKNOWN_PROVIDER and provider not in quota
    return "other" if unnamed and quota.get("other", 0) > 0 else None
