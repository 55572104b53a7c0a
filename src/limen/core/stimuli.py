"""The finished material of a study: numbered pairs, attention checks, and what is still missing."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from limen.core.excerpt import count_words
from limen.core.funnel import FunnelStep
from limen.core.judgment import Response
from limen.core.pair import ANY_PROVIDER, Pair, Selection, Unmatched, cell_of
from limen.core.protocol import AttentionCheck, CheckKind, DriftRange, Protocol
from limen.core.randomness import Stream

if TYPE_CHECKING:  # who shows the material measures nothing
    from limen.core.drift import Metric

OPENING_GIBBERISH = ("Qxz", "plmk", "wvrt", "njkl", "bghf")
"""The instrument's own first nonsense words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stimulus:
    """A pair with its id. The id names the condition, so it never leaves the server."""

    pair_id: str
    pair: Pair


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckStimulus:
    """An attention check with its texts. `source` is the conversation that lent a text, if one did."""

    check_id: str
    kind: CheckKind
    position: int
    expected: Response
    context: str
    response_a: str
    response_b: str
    source: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortfall:
    """A cell of the design that could not be filled: a finding, not a failure."""

    condition: str
    provider: str
    wanted: int
    found: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StimulusSet:
    """All that is shown, with how it was chosen."""

    stimuli: tuple[Stimulus, ...]
    checks: tuple[CheckStimulus, ...]
    shortfalls: tuple[Shortfall, ...]
    spares_missing: int
    funnel: tuple[FunnelStep, ...]
    strict_count: int
    selection_digest: str  # of the protocol that the pairs were chosen by, before any --thresholds
    metric: str
    bands: Mapping[str, DriftRange]  # of each condition, as really used
    standing: str | None  # how the thresholds relate to the metric; None: they are the protocol's own
    unmatched: tuple[Unmatched, ...] = ()  # with `match`: what the conditions would differ in without it

    @property
    def complete(self) -> bool:
        """Tell whether every slot is filled and every attention check has its texts."""
        return not self.shortfalls and self.spares_missing == 0

    def digest(self) -> str:
        """Give a hash of everything that a participant can be shown."""
        shown = [(s.pair_id, s.pair.context, s.pair.a.text, s.pair.b.text) for s in self.stimuli]
        checks = [(c.check_id, c.context, c.response_a, c.response_b) for c in self.checks]
        return hashlib.sha256(json.dumps([shown, checks]).encode()).hexdigest()


def assemble(
    selection: Selection,
    protocol: Protocol,
    *,
    metric: str,
    funnel: tuple[FunnelStep, ...],
    between: "tuple[Metric, ...]",
) -> StimulusSet:
    """Number the pairs, make the attention checks, measure A against B, and say what is missing."""
    return StimulusSet(
        stimuli=_number(selection, protocol, between),
        checks=_make_checks(selection.spares, protocol),
        shortfalls=_shortfalls(selection, protocol),
        spares_missing=max(0, protocol.spares_needed - len(selection.spares)),
        funnel=funnel,
        strict_count=selection.strict_count,
        selection_digest=protocol.selection_digest(),
        metric=metric,
        bands={condition.name: condition.drift for condition in protocol.conditions},
        standing=protocol.standing_of(metric),
    )


def measured_apart(pair: Pair, between: "tuple[Metric, ...]") -> Pair:
    """Give the pair with the distances from A to B, as raters compare them."""
    return replace(pair, drift_a_to_b={m.name: m.distances([pair.b.text], [pair.a.text])[0] for m in between})


def gibberish(protocol: Protocol, like: str) -> str:
    """Make 200–300 nonsense words from the seed: word lengths as in `like`, in sentences and paragraphs."""
    stream = Stream(protocol.study.seed, "gibberish")
    lengths = [max(2, len(word.strip(_PUNCTUATION))) for word in like.split()]
    limits = protocol.words
    count = limits.minimum + stream.below(limits.maximum - limits.minimum + 1)
    words = list(OPENING_GIBBERISH[:count])
    words += [_nonsense_word(stream, stream.pick(lengths)) for _ in range(count - len(words))]
    sentences = []
    while words:
        size = min(len(words), 6 + stream.below(13))
        first, *rest = words[:size]
        sentences.append(" ".join([first.capitalize(), *rest]) + ".")
        words = words[size:]
    return "\n\n".join(" ".join(sentences[k : k + 4]) for k in range(0, len(sentences), 4))


def total_words(stimuli: StimulusSet) -> int:
    """Count the words of all trials together."""
    pairs = sum(s.pair.a.words + s.pair.b.words for s in stimuli.stimuli)
    return pairs + sum(count_words(c.response_a) + count_words(c.response_b) for c in stimuli.checks)


def minutes_to_read(stimuli: StimulusSet, protocol: Protocol) -> str:
    """Say how many minutes the trials take to read, 20 % around the ordinary speed, to the nearest 5: "35–50", "5"."""
    minutes = total_words(stimuli) / protocol.survey.reading_speed_wpm
    low, high = (max(5, 5 * round(minutes * factor / 5)) for factor in (0.8, 1.2))
    return f"{low}" if low == high else f"{low}–{high}"


_PUNCTUATION = ".,;:!?\"'()[]“”‘’•–—"
_CONSONANTS = "bcdfghjklmnpqrstvwxz"


def _nonsense_word(stream: Stream, length: int) -> str:
    return "".join(stream.pick(_CONSONANTS) for _ in range(min(length, 12)))


def _number(selection: Selection, protocol: Protocol, between: "tuple[Metric, ...]") -> tuple[Stimulus, ...]:
    stimuli = []
    for condition in protocol.conditions:
        pairs = [pair for pair in selection.pairs if pair.condition == condition.name]
        for n, pair in enumerate(pairs, 1):
            stimuli.append(Stimulus(pair_id=f"{condition.prefix}_{n:02d}", pair=measured_apart(pair, between)))
    return tuple(stimuli)


def _make_checks(spares: tuple[Pair, ...], protocol: Protocol) -> tuple[CheckStimulus, ...]:
    left = list(spares)
    checks = []
    for check in protocol.attention_checks:
        if check.kind is CheckKind.INSTRUCTION:
            checks.append(_check(check, check.context or "", check.response_a or "", check.response_b or ""))
        elif left:
            spare = left.pop(0)
            text = spare.a.text
            other = text if check.kind is CheckKind.IDENTICAL else gibberish(protocol, text)
            checks.append(_check(check, spare.context, text, other, source=spare.conversation_id))
    return tuple(checks)


def _check(
    check: AttentionCheck, context: str, response_a: str, response_b: str, source: str | None = None
) -> CheckStimulus:
    return CheckStimulus(
        check_id=check.id,
        kind=check.kind,
        position=check.position,
        expected=check.expected,
        context=context,
        response_a=response_a,
        response_b=response_b,
        source=source,
    )


def _shortfalls(selection: Selection, protocol: Protocol) -> tuple[Shortfall, ...]:
    found = []
    for condition in protocol.conditions:
        quota: Mapping[str, int] = protocol.quota_of(condition) or {ANY_PROVIDER: condition.count}
        for cell, wanted in quota.items():
            filled = sum(
                pair.condition == condition.name and cell_of(pair.provider, condition, protocol) == cell
                for pair in selection.pairs
            )
            if filled < wanted:
                found.append(Shortfall(condition=condition.name, provider=cell, wanted=wanted, found=filled))
    return tuple(found)
