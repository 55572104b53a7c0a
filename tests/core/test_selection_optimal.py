"""The integer programmes against trying every set, on cases small enough for that."""

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builders import a_pair, a_shown_reply, prose, s3
from limen.core.funnel import DropReason, Tally
from limen.core.pair import Pair, Selection
from limen.core.pairing import shared_sequences
from limen.core.pool import Pool
from limen.core.protocol import Protocol
from limen.core.selection import select_pairs

SPARES = 2
COPIED = [prose(215, "first") + " " + prose(25, f"end {n}") for n in range(2)]
"""Two texts that are near-duplicates of each other."""
CHAIN = [prose(120, "left") + " " + prose(120, "own 1"), prose(120, "left") + " " + prose(120, "right")]
CHAIN.append(prose(120, "own 2") + " " + prose(120, "right"))
"""The one in the middle is a near-duplicate of both others, which have nothing in common."""


def _small(openai: int = 1, xai: int = 1, share: float = 0.45) -> Protocol:
    quota = {"openai": openai, "xai": xai}
    conditions = tuple(replace(c, count=openai + xai, quota=quota) for c in s3().conditions)
    checks = tuple(replace(check, position=k) for k, check in enumerate(s3().attention_checks, 1))
    rule = replace(s3().selection, near_duplicate=share)
    return replace(s3(), conditions=conditions, attention_checks=checks, selection=rule)


def _select(pairs: Sequence[Pair], protocol: Protocol) -> tuple[Selection, Tally]:
    tally = Tally()
    pool = Pool(protocol, tally)
    for _, group in itertools.groupby(pairs, key=lambda pair: pair.conversation_id):
        pool.add(list(group))
    selection = select_pairs(pool, protocol)
    pool.count_fallen_out(selection)
    return selection, tally


@dataclass(frozen=True)
class Worth:
    """What the ADR minimizes, in its order, but for the lots."""

    pairs: int
    imbalance: int
    spares: int
    drift_of_a: float
    topic_shift: float

    def key(self) -> tuple[float, ...]:
        return -self.pairs, self.imbalance, -self.spares, round(self.drift_of_a, 5), round(self.topic_shift, 5)


def _worth(pairs: Sequence[Pair], spares: int) -> Worth:
    filled = Counter((pair.condition, pair.provider) for pair in pairs)
    providers = {provider for _, provider in filled}
    return Worth(
        pairs=len(pairs),
        imbalance=sum(abs(filled["BASELINE", p] - filled["CATASTROPHIC", p]) for p in providers),
        spares=spares,
        drift_of_a=sum(pair.a.drift_score for pair in pairs),
        topic_shift=sum(pair.topic_shift for pair in pairs if pair.condition == "BASELINE"),
    )


_in_common = cache(shared_sequences)


def _may_stand_together(pairs: Sequence[Pair], share: float) -> bool:
    for one, other in itertools.combinations(pairs, 2):
        if one.conversation_id == other.conversation_id:
            return False
        texts = itertools.product((one.a.text, one.b.text), (other.a.text, other.b.text))
        if any(_in_common(x, y) >= share for x, y in texts):
            return False
    return True


def _every_set(candidates: Sequence[Pair], protocol: Protocol) -> Iterator[Worth]:
    """Try every set of pairs that keeps the rules, each with as many spares as it leaves room for."""
    share = protocol.selection.near_duplicate
    lenders = [pair for pair in candidates if pair.condition == "BASELINE"]
    for size in range(protocol.pair_count + 1):
        for pairs in itertools.combinations([p for p in candidates if p.provider != "unknown"], size):
            filled = Counter((pair.condition, pair.provider) for pair in pairs)
            fits = all(n <= protocol.quota_of(protocol.condition(c))[p] for (c, p), n in filled.items())
            if not fits or not _may_stand_together(pairs, share):
                continue
            room = (
                spares
                for spares in range(SPARES, -1, -1)
                for lent in itertools.combinations(lenders, spares)
                if _may_stand_together([*pairs, *lent], share)
            )
            yield _worth(pairs, next(room))


_text = st.one_of(st.none(), st.sampled_from([*COPIED, *CHAIN]))
_candidates = st.lists(
    st.tuples(
        st.sampled_from(["BASELINE", "CATASTROPHIC"]),
        st.integers(0, 4),  # conversation
        st.sampled_from([1, 2]),  # reply A
        st.floats(0, 0.29).map(lambda drift: round(drift, 2)),
        st.floats(0, 1).map(lambda shift: round(shift, 1)),
        _text,
    ),
    max_size=8,
    unique_by=lambda row: row[:3],
)
_PROVIDERS = ["openai", "openai", "xai", "openai", "unknown"]


def _pairs_of(rows: Sequence[tuple[str, int, int, float, float, str | None]]) -> list[Pair]:
    return [
        a_pair(
            condition,
            conversation=f"c{n}",
            provider=_PROVIDERS[n],
            a=a_shown_reply(number, text or prose(240, f"c{n}/a{number}"), drift),
            topic_shift=shift,
        )
        for condition, n, number, drift, shift, text in sorted(rows, key=lambda row: row[1])
        if condition == "BASELINE" or _PROVIDERS[n] != "unknown"
    ]


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rows=_candidates, openai=st.integers(1, 2))
def test_no_other_set_is_better(rows: list[tuple[str, int, int, float, float, str | None]], openai: int) -> None:
    protocol = _small(openai)
    candidates = _pairs_of(rows)
    selection, _ = _select(candidates, protocol)
    assert _may_stand_together([*selection.pairs, *selection.spares], protocol.selection.near_duplicate)
    best = min(worth.key() for worth in _every_set(candidates, protocol))
    assert _worth(selection.pairs, len(selection.spares)).key() == pytest.approx(best, abs=1e-4)


def test_a_text_between_two_others_does_not_cost_a_slot() -> None:
    # the middle one is the best by its drift, and excludes both others
    pairs = [
        a_pair("CATASTROPHIC", conversation=f"c{n}", a=a_shown_reply(1, text, drift))
        for n, (text, drift) in enumerate(zip(CHAIN, (0.2, 0.0, 0.1), strict=True))
    ]
    selection, tally = _select(pairs, _small(openai=2))
    assert [pair.conversation_id for pair in selection.pairs] == ["c0", "c2"]
    assert tally.dropped["CATASTROPHIC", "openai", DropReason.NEAR_DUPLICATE] == 1


def test_conversations_that_begin_alike_are_used_with_another_reply() -> None:
    pairs = [
        a_pair(
            "CATASTROPHIC",
            conversation=f"c{n}",
            a=a_shown_reply(number, COPIED[n] if number == 1 else prose(240, f"c{n}/{number}"), 0.1 * number),
        )
        for n in (0, 1)
        for number in (1, 2)
    ]
    selection, _ = _select(pairs, _small(openai=2))
    assert {(pair.conversation_id, pair.a.number) for pair in selection.pairs} in (
        {("c0", 1), ("c1", 2)},
        {("c0", 2), ("c1", 1)},
    )


def test_the_order_of_copies_in_the_logs_does_not_matter() -> None:
    texts = [*COPIED, *CHAIN, CHAIN[0]]
    pairs = [
        a_pair("CATASTROPHIC", conversation=f"c{n}", a=a_shown_reply(1, text, 0.01 * n)) for n, text in enumerate(texts)
    ]
    orders = [pairs[n:] + pairs[:n] for n in range(len(pairs))] + [pairs[::-1]]
    chosen = [_select(order, _small(openai=2))[0].pairs for order in orders]
    assert all(pairs == chosen[0] for pairs in chosen)
