"""Plain functions that build inputs with good defaults."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from limen.core.conversation import Conversation, DriftOrigin, DriftSource, Role, Turn
from limen.core.log_problems import LogProblem
from limen.core.pair import Pair, ShownReply
from limen.core.protocol import Condition, Protocol
from limen.core.randomness import Stream
from limen.metrics.registry import MetricShelf
from limen.study.protocol_file import built_in_protocol
from limen.workflow.ports import SourceFile

_SYLLABLES = ("ba", "co", "di", "fu", "ga", "le", "mi", "no", "pa", "re", "su", "ta", "vo", "zi")


@cache
def s3() -> Protocol:
    """Give the built-in protocol."""
    return built_in_protocol()


def without_quota(protocol: Protocol) -> Protocol:
    return replace(protocol, providers=replace(protocol.providers, quota={}))


def with_condition(protocol: Protocol, condition: Condition) -> Protocol:
    return replace(protocol, conditions=(*protocol.conditions, condition))


def prose(words: int, seed: str = "prose") -> str:
    """Make so many words in sentences of about ten; another seed gives other words."""
    stream = Stream(7, f"prose/{seed}")
    sentences = []
    while words > 0:
        size = min(words, 7 + stream.below(7))
        made = ["".join(stream.pick(_SYLLABLES) for _ in range(1 + stream.below(4))) for _ in range(size)]
        sentences.append(" ".join([made[0].capitalize(), *made[1:]]) + ".")
        words -= size
    return " ".join(sentences)


def a_conversation(
    drifts: Sequence[float | None] = (0.1, 0.1, 0.1, 0.2, 0.2),
    *,
    id: str = "c1",
    provider: str | None = "openai",
    model: str | None = None,
    words: int | Sequence[int] = 240,
    texts: Sequence[str] | None = None,
    metric: str | None = "keyword-rms/s7",
    topic: str | None = "A discussion about gardens.",
    tags: Mapping[str, str] | None = None,
    reference: str = "This is how it began.",
    high: float | None = None,
) -> Conversation:
    """Build a conversation with a marked reference and one numbered reply a drift."""
    sizes = [words] * len(drifts) if isinstance(words, int) else list(words)
    turns = [
        Turn(i=0, role=Role.USER, text="How do I begin?"),
        Turn(i=1, role=Role.ASSISTANT, text=reference, drift=0.0, is_reference=True),
    ]
    for n, drift in enumerate(drifts):
        text = texts[n] if texts else prose(sizes[n], f"{id}/{n}")
        turns.append(Turn(i=len(turns), role=Role.USER, text="And then?"))
        turns.append(Turn(i=len(turns), role=Role.ASSISTANT, text=text, drift=drift))
    origin = (
        DriftOrigin(metric=metric, reference="turn:1", low=0.0, high=high, source=DriftSource.RECORDED)
        if metric
        else None
    )
    return Conversation(
        id=id,
        provider=provider,
        model=model,
        topic=topic,
        tags=tags or {},
        drift=origin,
        turns=tuple(turns),
    )


def a_baseline_conversation(id: str, provider: str = "openai") -> Conversation:
    return a_conversation((0.1, 0.15, 0.2, 0.25, 0.2), id=id, provider=provider)


def a_catastrophic_conversation(id: str, provider: str = "openai") -> Conversation:
    return a_conversation((0.1, 0.4, 0.5, 0.6, 1.2, 1.4), id=id, provider=provider)


def enough_conversations(protocol: Protocol | None = None, spares: int = 2) -> list[Conversation]:
    """Build conversations that fill every slot of the built-in protocol, and the spares."""
    made: list[Conversation] = []
    number = itertools.count(1)
    for provider, count in (protocol or s3()).providers.quota.items():
        made += [a_baseline_conversation(f"b{next(number)}", provider) for _ in range(count)]
        made += [a_catastrophic_conversation(f"k{next(number)}", provider) for _ in range(count)]
    return made + [a_baseline_conversation(f"spare{n}") for n in range(spares)]


def a_shown_reply(number: int = 1, text: str | None = None, drift: float = 0.1) -> ShownReply:
    shown = prose(240, f"shown/{number}") if text is None else text
    return ShownReply(
        number=number,
        text=shown,
        original=shown,
        scrubs=(),
        excerpted=False,
        drift_score=drift,
        drift_full_text=drift,
    )


def a_pair(
    condition: str = "BASELINE",
    *,
    conversation: str = "c1",
    provider: str = "openai",
    a: ShownReply | None = None,
    b: ShownReply | None = None,
    topic_shift: float = 0.5,
) -> Pair:
    target = condition != "BASELINE"
    return Pair(
        condition=condition,
        provider=provider,
        conversation_id=conversation,
        model=None,
        tags={},
        context="A discussion about gardens.",
        drift_metric="keyword-rms/s7",
        a=a or a_shown_reply(1, prose(240, f"{conversation}/a")),
        b=b or a_shown_reply(4, prose(240, f"{conversation}/b"), 1.2 if target else 0.2),
        topic_shift=topic_shift,
    )


@dataclass
class ListedLogs:
    """Logs that are already in memory: a true, small implementation of the port."""

    items: Iterable[Conversation | LogProblem]
    sources: list[SourceFile] = field(default_factory=list)
    readings: int = 0

    def read(self) -> Iterator[Conversation | LogProblem]:
        self.readings += 1
        self.sources = [SourceFile(name="listed", sha256="0" * 64, conversations=0, problems=0)]
        return iter(self.items)


def metrics() -> MetricShelf:
    return MetricShelf()
