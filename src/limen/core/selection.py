"""The best set of pairs: as many slots filled as possible, then the best balance, then the lowest drift in A.

Solved as a sequence of small integer programmes (HiGHS through SciPy), each keeping what the ones before it
reached.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import LinearConstraint, milp
from scipy.sparse import csr_array

from limen.core.matching import TOLERANCE, MatchedColumn, matched_columns
from limen.core.near_duplicates import NearTexts, find_near_texts
from limen.core.pair import Pair, Selection, cell_of
from limen.core.pool import Pool, merit
from limen.core.protocol import ConditionRole, Protocol


def select_pairs(pool: Pool, protocol: Protocol) -> Selection:
    """Choose the best set of pairs and spares from the pool; the same pool and seed give the same set."""
    candidates = pool.candidates()
    near = find_near_texts(candidates, protocol.selection.near_duplicate)
    candidates = _worth_choosing(candidates, near, protocol)
    chosen, spares = _solve(candidates, near, protocol) if candidates else ((), ())
    baseline = protocol.with_role(ConditionRole.BASELINE)[0]
    return Selection(
        pairs=_in_order(chosen, protocol),
        spares=tuple(spares),
        strict_count=sum(pair.condition != baseline.name and pair.a.drift_score in baseline.drift for pair in chosen),
    )


NODES = 2000
"""With matching: how many branches HiGHS may try for an aim. A bound in time would not give the same set twice."""

_STEPS = 10_000  # drifts, shifts and lots are whole numbers of these to the solver, so that its tolerance never decides


@dataclass(slots=True)
class _Programme:
    """A growing list of linear constraints over binary choices, then bounded auxiliaries."""

    size: int
    binary: int
    rows: list[tuple[dict[int, float], float]] = field(default_factory=list)  # coefficients, upper bound

    def at_most(self, coefficients: dict[int, float], bound: float) -> None:
        if coefficients:
            self.rows.append((coefficients, bound))

    def minimize(self, cost: NDArray[np.float64], nodes: int | None = None) -> NDArray[np.float64]:
        """Minimize a cost of whole numbers, and keep the minimum reached as one more constraint.

        With a bound on the branches tried, it is the best minimum found within it.
        """
        entries = [(value, row, k) for row, (cs, _) in enumerate(self.rows) for k, value in cs.items()]
        values, rows, columns = zip(*entries, strict=True)
        matrix = csr_array((values, (rows, columns)), shape=(len(self.rows), self.size))
        result = milp(
            cost,
            constraints=LinearConstraint(matrix, ub=[bound for _, bound in self.rows]),
            integrality=np.where(np.arange(self.size) < self.binary, 1, 0),
            bounds=(0, np.where(np.arange(self.size) < self.binary, 1.0, np.inf)),
            options={"mip_rel_gap": 0.0} | ({} if nodes is None else {"node_limit": nodes}),
        )
        if result.x is None and nodes is not None:  # nothing found within the bound
            return self.minimize(cost)
        if result.x is None:  # choosing nothing is always feasible
            raise RuntimeError(f"the selection could not be solved: {result.message}")
        whole = np.round(result.x)  # choices and differences are whole but for the solver's tolerance
        self.at_most({int(k): float(cost[k]) for k in np.flatnonzero(cost)}, float(cost @ whole) + 0.5)
        return np.asarray(whole)


def _worth_choosing(candidates: tuple[Pair, ...], near: NearTexts, protocol: Protocol) -> tuple[Pair, ...]:
    """Leave out pairs that can never be chosen: a better one of their conversation shows nothing that others show."""
    if protocol.selection.reuse_conversations or protocol.selection.match:
        return candidates
    shown_by: dict[str, set[str]] = {}
    for pair in candidates:
        for text in (pair.a.text, pair.b.text):
            shown_by.setdefault(text, set()).add(pair.conversation_id)

    def contested(pair: Pair) -> bool:
        rivals = (shown_by.get(text, ()) for own in (pair.a.text, pair.b.text) for text in near.of[own])
        return any(other != pair.conversation_id for holders in rivals for other in holders)

    kept, settled = [], set()
    for pair in candidates:  # within a condition the best come first
        place = (pair.condition, pair.conversation_id)
        if place not in settled:
            kept.append(pair)
        if not contested(pair):
            settled.add(place)
    return tuple(kept)


def _solve(
    candidates: tuple[Pair, ...], near: NearTexts, protocol: Protocol
) -> tuple[tuple[Pair, ...], tuple[Pair, ...]]:
    cells = [cell_of(pair.provider, protocol.condition(pair.condition), protocol) for pair in candidates]
    baseline = protocol.with_role(ConditionRole.BASELINE)[0].name
    lenders = [k for k, pair in enumerate(candidates) if pair.condition == baseline]
    differences = _cells_to_balance(protocol)
    shared = _shared_replies(candidates, protocol)
    matched = matched_columns(candidates, protocol)
    n, m = len(candidates), len(lenders)
    programme = _Programme(size=n + m + len(differences) + len(shared) + len(matched), binary=n + m)

    for condition in protocol.conditions:
        quota = protocol.quota_of(condition) or {"any": condition.count}
        here = [k for k, pair in enumerate(candidates) if pair.condition == condition.name]
        for cell, bound in quota.items():
            programme.at_most({k: 1.0 for k in here if cells[k] == cell}, bound)
        programme.at_most({k: 1.0 for k in here if cells[k] is None}, 0)
    programme.at_most({n + j: 1.0 for j in range(m)}, protocol.spares_needed)
    for group in _exclusive_groups(candidates, lenders, protocol):
        programme.at_most(dict.fromkeys(group, 1.0), 1)
    lent_as = {k: n + j for j, k in enumerate(lenders)}
    for group in _near_duplicates(candidates, near, protocol):
        lent = [lent_as[k] for k in group if k in lent_as]
        programme.at_most(dict.fromkeys([*group, *lent], 1.0), 1)
    for d, (cell, first, second) in enumerate(differences):
        signed = {
            k: 1.0 if pair.condition == first else -1.0
            for k, pair in enumerate(candidates)
            if cells[k] == cell and pair.condition in (first, second)
        }
        programme.at_most(signed | {n + m + d: -1.0}, 0)
        programme.at_most({k: -v for k, v in signed.items()} | {n + m + d: -1.0}, 0)

    for r, group in enumerate(shared):
        programme.at_most(dict.fromkeys(group, 1.0) | {n + m + len(differences) + r: -1.0}, 1)

    solution = np.zeros(programme.size)
    first_aims, matching, last_aims = _objectives(candidates, lenders, len(differences), len(shared), matched, protocol)
    for cost in first_aims:
        solution = programme.minimize(cost)
    if matched:
        _match(programme, matched, candidates, solution)
    for cost in (matching, *last_aims) if matched else last_aims:
        solution = programme.minimize(cost, NODES if matched else None)
    chosen = tuple(candidates[k] for k in np.flatnonzero(solution[:n] > 0.5))
    spares = tuple(candidates[lenders[j]] for j in np.flatnonzero(solution[n : n + m] > 0.5))
    return chosen, spares


def _match(
    programme: _Programme, matched: Sequence[MatchedColumn], candidates: tuple[Pair, ...], solution: NDArray[np.float64]
) -> None:
    """Hold each condition's number of pairs, so that means are sums, and let differences of means cost their excess."""
    groups: dict[str, list[int]] = {}
    for k, pair in enumerate(candidates):
        groups.setdefault(pair.condition, []).append(k)
    counts = {name: round(float(solution[ks].sum())) for name, ks in groups.items()}
    for name, ks in groups.items():
        programme.at_most(dict.fromkeys(ks, 1.0), counts[name])
        programme.at_most(dict.fromkeys(ks, -1.0), -counts[name])
    for excess, column in enumerate(matched, programme.size - len(matched)):
        if not counts.get(column.reference) or not counts.get(column.other):
            continue
        apart = {k: float(round(_STEPS * column.values[k] / counts[column.other])) for k in groups[column.other]}
        for k in groups[column.reference]:
            apart[k] = -float(round(_STEPS * column.values[k] / counts[column.reference]))
        programme.at_most(apart | {excess: -1.0}, _STEPS * TOLERANCE)
        programme.at_most({k: -value for k, value in apart.items()} | {excess: -1.0}, _STEPS * TOLERANCE)


Costs = list[NDArray[np.float64]]


def _objectives(
    candidates: tuple[Pair, ...],
    lenders: list[int],
    differences: int,
    shared: int,
    matched: Sequence[MatchedColumn],
    protocol: Protocol,
) -> tuple[Costs, NDArray[np.float64], Costs]:
    """Give what is minimized, the most important first: before matching, matching, after it."""
    n, m = len(candidates), len(lenders)

    def cost(
        pairs: Sequence[float] | None = None,
        spares: Sequence[float] | None = None,
        imbalance: float = 0.0,
        repeats: float = 0.0,
        excess: float = 0.0,
    ) -> NDArray[np.float64]:
        parts = [pairs or [0.0] * n, spares or [0.0] * m, [imbalance] * differences, [repeats] * shared]
        return np.concatenate([*parts, [excess] * len(matched)])

    merits = [[round(part * _STEPS) for part in merit(pair, protocol)] for pair in candidates]
    first_aims = [cost(pairs=[-1.0] * n), cost(imbalance=1.0), cost(spares=[-1.0] * m), cost(repeats=1.0)]
    last_aims = [
        cost(pairs=[merit[0] for merit in merits]),
        cost(pairs=[merit[1] for merit in merits]),
        cost(pairs=[merit[2] for merit in merits], spares=[merits[k][2] for k in lenders]),
    ]
    return first_aims, cost(excess=1.0), last_aims


def _exclusive_groups(candidates: tuple[Pair, ...], lenders: list[int], protocol: Protocol) -> Iterable[list[int]]:
    """Give the choices of which at most one may be made: those of one conversation.

    Where conversations may be reused, only a text that is lent to a check must stay out of all pairs.
    """
    n = len(candidates)
    if protocol.selection.reuse_conversations:
        for j, lender in enumerate(lenders):
            lent = candidates[lender]
            for k, pair in enumerate(candidates):
                if pair.conversation_id == lent.conversation_id and lent.a.number in _replies(pair):
                    yield [n + j, k]
        return
    groups: dict[str, list[int]] = {}
    for k, pair in enumerate(candidates):
        groups.setdefault(pair.conversation_id, []).append(k)
    for j, k in enumerate(lenders):
        groups[candidates[k].conversation_id].append(n + j)
    yield from groups.values()


def _shared_replies(candidates: tuple[Pair, ...], protocol: Protocol) -> list[list[int]]:
    """Give the pairs that have a reply in common: where conversations may be reused, as few as possible repeat one."""
    if not protocol.selection.reuse_conversations:
        return []
    groups: dict[tuple[str, int], list[int]] = {}
    for k, pair in enumerate(candidates):
        for number in _replies(pair):
            groups.setdefault((pair.conversation_id, number), []).append(k)
    return [group for group in groups.values() if len(group) > 1]


def _replies(pair: Pair) -> tuple[int, int]:
    return pair.a.number, pair.b.number


def _near_duplicates(candidates: tuple[Pair, ...], near: NearTexts, protocol: Protocol) -> Iterable[list[int]]:
    """Give the candidates of different conversations of which at most one may be shown: they show nearly the same.

    Without reuse, all candidates that show a text of one group exclude each other, those of one conversation
    anyway. With it, those of one conversation do not.
    """
    shown_by: dict[str, list[int]] = {}
    for k, pair in enumerate(candidates):
        for text in (pair.a.text, pair.b.text):
            shown_by.setdefault(text, []).append(k)
    for group in near.groups():
        ks = sorted({k for text in group for k in shown_by.get(text, ())})
        if len({candidates[k].conversation_id for k in ks}) < 2:
            continue
        if not protocol.selection.reuse_conversations:
            yield ks
        else:
            apart = combinations(ks, 2)
            yield from ([x, y] for x, y in apart if candidates[x].conversation_id != candidates[y].conversation_id)


def _cells_to_balance(protocol: Protocol) -> list[tuple[str, str, str]]:
    """Give each provider with two conditions that want equally many of it: their counts should stay equal."""
    found = []
    for one, other in combinations(protocol.conditions, 2):
        first, second = protocol.quota_of(one), protocol.quota_of(other)
        found += [(cell, one.name, other.name) for cell in first if first[cell] == second.get(cell)]
    return found


def _in_order(chosen: tuple[Pair, ...], protocol: Protocol) -> tuple[Pair, ...]:
    conditions = [condition.name for condition in protocol.conditions]

    def place(pair: Pair) -> tuple[int, int, str, int, int]:
        condition = protocol.condition(pair.condition)
        quota = list(protocol.quota_of(condition))
        cell = cell_of(pair.provider, condition, protocol)
        rank = quota.index(cell) if cell in quota else 0
        return conditions.index(pair.condition), rank, pair.conversation_id, pair.a.number, pair.b.number

    return tuple(sorted(chosen, key=place))
