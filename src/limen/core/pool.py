"""The candidates that the best selection can need, kept while the logs stream by.

A cell (a condition and a provider) keeps the best conversations only. More of them can never be needed, so that
memory does not grow with the logs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from limen.core.funnel import DropReason, Tally
from limen.core.near_duplicates import NearTexts, find_near_texts
from limen.core.pair import Pair, Selection, cell_of
from limen.core.protocol import ConditionRole, Protocol
from limen.core.randomness import lot

REPLIES_KEPT = 3
"""Of a conversation, the pairs of so many replies A with so many replies B. With reuse they hold every best choice of
three pairs; without it they are other ways to use a conversation whose best pair shows what another one shows."""


@dataclass(slots=True)
class Pool:
    """Keeps candidates by cell and conversation, the best first, and counts those that fall out after pairing."""

    protocol: Protocol
    tally: Tally
    _cells: dict[tuple[str, str], dict[str, list[Pair]]] = field(default_factory=dict)
    _left: dict[tuple[str, str, str], int] = field(default_factory=dict)  # by condition, provider and conversation

    def add(self, pairs: Sequence[Pair]) -> None:
        """Take in the pairs of one conversation."""
        for condition in self.protocol.conditions:
            mine = [pair for pair in pairs if pair.condition == condition.name]
            if mine:
                cell = cell_of(mine[0].provider, condition, self.protocol)
                self._add_to_cell((condition.name, cell or _SPARE_ONLY), mine)

    def candidates(self) -> tuple[Pair, ...]:
        """Give the kept pairs, in an order that does not depend on how they came in."""
        kept = (pair for cell in self._cells.values() for pairs in cell.values() for pair in pairs)
        return tuple(sorted(kept, key=lambda pair: (pair.condition, *merit(pair, self.protocol), pair.conversation_id)))

    def count_fallen_out(self, selection: Selection) -> None:
        """Count the candidates that show what a chosen pair shows, or whose conversation gave another pair."""
        used = {pair.conversation_id: pair.condition for pair in selection.pairs}
        near = find_near_texts(self.candidates(), self.protocol.selection.near_duplicate)
        for (condition, _), cell in self._cells.items():
            for conversation, pairs in cell.items():
                if conversation not in used:
                    self._drop_if_near(pairs, selection.pairs, near)
                elif not self.protocol.selection.reuse_conversations:
                    chosen = int(used[conversation] == condition)
                    place = _place(pairs[0])
                    self._drop(place, DropReason.CONVERSATION_USED, self._left.get(place, 0) - chosen)

    def _add_to_cell(self, key: tuple[str, str], pairs: list[Pair]) -> None:
        cell = self._cells.setdefault(key, {})
        known = cell.get(pairs[0].conversation_id, [])
        logged_before = {_shown(pair) for pair in known}
        fresh = [pair for pair in pairs if _shown(pair) not in logged_before]
        if key[1] != _SPARE_ONLY:
            place = _place(pairs[0])
            self._left[place] = self._left.get(place, 0) + len(pairs)
            self._drop(place, DropReason.DUPLICATE, len(pairs) - len(fresh))
        cell[pairs[0].conversation_id] = self._best_of(known + fresh)
        if len(cell) > 2 * self._size():
            self._prune(cell)

    def _best_of(self, pairs: list[Pair]) -> list[Pair]:
        best: list[Pair] = []
        for pair in sorted(pairs, key=lambda pair: merit(pair, self.protocol)):
            same_a = sum(other.a.number == pair.a.number for other in best)
            replies_b = {other.b.number for other in best} | {pair.b.number}
            reuse = self.protocol.selection.reuse_conversations
            if (same_a < REPLIES_KEPT) if reuse else len(replies_b) <= REPLIES_KEPT:
                best.append(pair)
        return best[: REPLIES_KEPT**2]

    def _prune(self, cell: dict[str, list[Pair]]) -> None:
        """Leave the best conversations of a cell, without those that show only what better ones show."""
        near = find_near_texts((p for pairs in cell.values() for p in pairs), self.protocol.selection.near_duplicate)
        kept: list[Pair] = []
        conversations = 0
        for pairs in sorted(cell.values(), key=lambda pairs: merit(pairs[0], self.protocol)):
            if conversations < self._size() and not self._drop_if_near(pairs, kept, near):
                kept += pairs
                conversations += 1
            else:
                del cell[pairs[0].conversation_id]
                self._left.pop(_place(pairs[0]), None)

    def _drop_if_near(self, pairs: list[Pair], others: Sequence[Pair], near: NearTexts) -> bool:
        """Count a conversation's candidates as (near-)duplicates if each of its pairs shows what another one shows."""
        if not all(any(near.show_nearly_the_same(pair, other) for other in others) for pair in pairs):
            return False
        same = any(_shown(pairs[0]) == _shown(other) for other in others)
        place = _place(pairs[0])
        reason = DropReason.DUPLICATE if same else DropReason.NEAR_DUPLICATE
        self._drop(place, reason, self._left.get(place, 0))
        return True

    def _drop(self, place: tuple[str, str, str], reason: DropReason, count: int) -> None:
        if place in self._left and count:
            condition, provider, _ = place
            self._left[place] -= count
            self.tally.drop(condition, provider, reason, count)

    def _size(self) -> int:
        return 2 * (self.protocol.pair_count + self.protocol.spares_needed)


def merit(pair: Pair, protocol: Protocol) -> tuple[float, float, float]:
    """Rank a pair in its cell, best first: drift of A, topic shift in the baseline, a lot drawn from the seed."""
    role = protocol.condition(pair.condition).role
    shift = pair.topic_shift if role is ConditionRole.BASELINE else 0.0
    name = f"selection/{pair.condition}/{pair.conversation_id}/{pair.a.number}/{pair.b.number}"
    return pair.a.drift_score, shift, lot(protocol.study.seed, name)


_SPARE_ONLY = "-"


def _place(pair: Pair) -> tuple[str, str, str]:
    return pair.condition, pair.provider, pair.conversation_id


def _shown(pair: Pair) -> tuple[str, str]:
    return pair.a.text, pair.b.text
