"""What else differs between conditions besides drift, and how well a machine tells them apart by the surface alone.

Every other condition is held against the baseline; where there is a control stratum, the target is held against it
too: both are late in their conversations, only one has drifted.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from limen.core.analysis.differences import (
    MixDifference,
    count_kinds,
    mix_difference,
    standardized_difference,
)
from limen.core.analysis.estimates import Estimate, Undetermined
from limen.core.analysis.separation import Separation, separate
from limen.core.analysis.tables import fisher_p
from limen.core.features import OF_A_PAIR, SURFACE, Feature
from limen.core.pair import Pair, Unmatched
from limen.core.protocol import ConditionRole, Protocol
from limen.core.surface import describe_surface
from limen.core.topics import content_words

KINDS = ("model", "provider", "source_run")
_WORDS_SHOWN, _WORTH_SHOWING, _RARELY_BY_CHANCE = 6, 0.5, 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The mean of some pairs and how they scatter; one pair alone does not."""

    mean: float
    sd: float | None
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureLevel:
    """A feature in one condition: that of Response B and of A, or one number where the pair as a whole has it."""

    b: Spread
    a: Spread | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionSurface:
    """What the pairs of a condition look like."""

    condition: str
    pairs: int
    features: Mapping[str, FeatureLevel]
    kinds: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureDifference:
    """How far a feature is apart, in standard deviations: in Response B, and in the change from A to B."""

    feature: Feature
    in_b: Estimate | Undetermined
    change: Estimate | Undetermined


@dataclass(frozen=True, slots=True, kw_only=True)
class KindDifference:
    """How differently two conditions are mixed of models, providers or runs."""

    kind: str
    mix: MixDifference | Undetermined


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicWord:
    """A content word of contexts and Responses A that stands in more pairs of one condition than of the other."""

    word: str
    reference_pairs: int
    other_pairs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two conditions held against each other; differences are `other` minus `reference`."""

    reference: str
    other: str
    machine: Separation | Undetermined
    features: tuple[FeatureDifference, ...]
    kinds: tuple[KindDifference, ...]
    topic_words: tuple[TopicWord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfoundAudit:
    """The whole table. `matched` is what the selection minded; `before` what it would have been otherwise."""

    surface: tuple[Feature, ...]  # what the machine reads
    conditions: tuple[ConditionSurface, ...]
    comparisons: tuple[Comparison, ...]
    matched: tuple[Feature, ...]
    before: tuple[Unmatched, ...]


def audit_confounds(pairs: Sequence[Pair], protocol: Protocol, before: tuple[Unmatched, ...] = ()) -> ConfoundAudit:
    """Compare the conditions of chosen pairs; the same pairs and seed always give the same numbers."""
    measured = {
        condition.name: tuple(_Measured.of(pair) for pair in pairs if pair.condition == condition.name)
        for condition in protocol.conditions
    }
    return ConfoundAudit(
        surface=SURFACE,
        conditions=tuple(_describe(name, group) for name, group in measured.items()),
        comparisons=tuple(
            _compare(one, other, measured, protocol.study.seed) for one, other in compared_conditions(protocol)
        ),
        matched=protocol.selection.match,
        before=before,
    )


def compared_conditions(protocol: Protocol) -> Iterator[tuple[str, str]]:
    """Give which conditions are held against each other: each against the baseline, the target against a control."""
    baseline = protocol.with_role(ConditionRole.BASELINE)[0].name
    for condition in protocol.conditions:
        if condition.name != baseline:
            yield baseline, condition.name
    for control in protocol.with_role(ConditionRole.CONTROL):
        yield control.name, protocol.with_role(ConditionRole.TARGET)[0].name


def unmatched(pairs: Sequence[Pair], protocol: Protocol) -> tuple[Unmatched, ...]:
    """Note what an unmatched selection differs in, to be shown beside the matched one."""
    return tuple(
        Unmatched(
            reference=found.reference,
            other=found.other,
            auc=found.machine.auc if isinstance(found.machine, Separation) else None,
            p=found.machine.p if isinstance(found.machine, Separation) else None,
            in_b={row.feature.value: _value(row.in_b) for row in found.features},
            change={row.feature.value: _value(row.change) for row in found.features},
        )
        for found in audit_confounds(pairs, protocol).comparisons
    )


def pair_numbers(pair: Pair, features: Sequence[Feature]) -> tuple[float, ...]:
    """Give a pair's numbers for these features: two for a text's (Response B's, and its change from A), else one."""
    measured = _Measured.of(pair)
    return tuple(number for feature in features for number in measured.numbers(feature))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measured:
    """A pair with its features, measured once."""

    pair: Pair
    a: Mapping[Feature, float]
    b: Mapping[Feature, float]

    @classmethod
    def of(cls, pair: Pair) -> "_Measured":
        whole = {Feature.TURN_GAP: float(pair.b.number - pair.a.number), Feature.TOPIC_SHIFT: pair.topic_shift}
        return cls(pair=pair, a=describe_surface(pair.a.text), b={**describe_surface(pair.b.text), **whole})

    def numbers(self, feature: Feature) -> tuple[float, ...]:
        return (self.b[feature],) if feature in OF_A_PAIR else (self.b[feature], self.b[feature] - self.a[feature])

    def kind(self, kind: str) -> str:
        pair = self.pair
        if kind == "source_run":
            return pair.tags.get("run") or pair.conversation_id.partition(":")[0]
        return pair.provider if kind == "provider" else pair.model or "unknown"

    def early_words(self) -> set[str]:
        return set(content_words(f"{self.pair.context} {self.pair.a.text}"))


def _describe(name: str, group: tuple[_Measured, ...]) -> ConditionSurface:
    return ConditionSurface(
        condition=name,
        pairs=len(group),
        features={
            feature.value: FeatureLevel(
                b=_spread([one.b[feature] for one in group]),
                a=None if feature in OF_A_PAIR else _spread([one.a[feature] for one in group]),
            )
            for feature in Feature
            if group
        },
        kinds={kind: count_kinds([one.kind(kind) for one in group]) for kind in KINDS},
    )


def _compare(reference: str, other: str, measured: Mapping[str, tuple[_Measured, ...]], seed: int) -> Comparison:
    first, second = measured[reference], measured[other]
    stream = f"confounds/{reference}/{other}"

    def rows(group: tuple[_Measured, ...]) -> list[list[float]]:
        return [[number for feature in SURFACE for number in one.numbers(feature)] for one in group]

    return Comparison(
        reference=reference,
        other=other,
        machine=separate(rows(first), rows(second), seed, stream),
        features=tuple(_feature_difference(feature, first, second) for feature in Feature),
        kinds=tuple(
            KindDifference(
                kind=kind,
                mix=mix_difference(
                    [one.kind(kind) for one in first], [one.kind(kind) for one in second], seed, f"{stream}/{kind}"
                ),
            )
            for kind in KINDS
        ),
        topic_words=_topic_words(first, second),
    )


def _feature_difference(
    feature: Feature, first: tuple[_Measured, ...], second: tuple[_Measured, ...]
) -> FeatureDifference:
    columns = [
        standardized_difference([one.numbers(feature)[k] for one in first], [one.numbers(feature)[k] for one in second])
        for k in range(1 if feature in OF_A_PAIR else 2)
    ]
    whole = Undetermined(reason="the pair as a whole has it, not each response")
    return FeatureDifference(feature=feature, in_b=columns[0], change=columns[1] if len(columns) > 1 else whole)


def _topic_words(first: tuple[_Measured, ...], second: tuple[_Measured, ...]) -> tuple[TopicWord, ...]:
    if not first or not second:
        return ()
    counts = [count_kinds([word for one in group for word in one.early_words()]) for group in (first, second)]
    words = [
        TopicWord(word=word, reference_pairs=counts[0].get(word, 0), other_pairs=counts[1].get(word, 0))
        for word in {*counts[0], *counts[1]}
    ]

    def apart(word: TopicWord) -> float:
        return abs(word.other_pairs / len(second) - word.reference_pairs / len(first))

    telling = [
        word
        for word in words
        if apart(word) >= _WORTH_SHOWING
        and fisher_p(_pairs_with_and_without(word, len(first), len(second))) < _RARELY_BY_CHANCE
    ]
    return tuple(sorted(telling, key=lambda word: (-apart(word), word.word))[:_WORDS_SHOWN])


def _pairs_with_and_without(word: TopicWord, reference: int, other: int) -> tuple[tuple[int, int], tuple[int, int]]:
    return (word.reference_pairs, reference - word.reference_pairs), (word.other_pairs, other - word.other_pairs)


def _spread(values: Sequence[float]) -> Spread:
    return Spread(mean=fmean(values), sd=stdev(values) if len(values) > 1 else None, n=len(values))


def _value(estimate: Estimate | Undetermined) -> float | None:
    return estimate.value if isinstance(estimate, Estimate) else None
