"""How well a machine tells two groups apart by a few numbers: a cross-validated AUC with its permutation p."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limen.core.analysis.estimates import Undetermined
from limen.core.analysis.generators import named_generator
from limen.core.numerals import counted

FOLDS = 5
REPEATS = 5
PERMUTATIONS = 2000
PENALTY = 1.0
"""The ridge: half of it times the sum of squared weights is added to the deviance's half (scikit-learn's C = 1)."""

_STEPS, _SMALL_STEP, _TIE = 30, 1e-4, 1e-9
_PRODUCT_SIZE = 200_000

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Separation:
    """How well two groups are told apart. 0.5 is a coin's AUC; p is one-sided, for an AUC above that of chance."""

    auc: float
    p: float
    folds: int
    repeats: int
    permutations: int
    columns: int  # numbers that differ between any two members; the others tell nothing


def separate(
    first: Sequence[Sequence[float]], second: Sequence[Sequence[float]], seed: int, name: str
) -> Separation | Undetermined:
    """Tell how well a ridge logistic regression tells `second` from `first`, a row a member.

    Columns are standardized over all members, which uses no label. The AUC is the mean over the folds of repeated
    stratified 5-fold cross-validation, ties counted half. p = (1 + permutations that reach it) / (1 + all), where a
    permutation deals the members anew to the two groups and repeats everything that follows. Draws depend on `seed`
    and `name` alone. Checked against scikit-learn's LogisticRegression and roc_auc_score.
    """
    fewest = min(len(first), len(second))
    if fewest < FOLDS:
        return Undetermined(
            reason=f"{counted(fewest, 'pair')} in a condition; {FOLDS}-fold cross-validation needs {FOLDS}"
        )
    table = _standardized(np.array([*first, *second], dtype=float))
    if table.shape[1] == 0:
        return Undetermined(reason="all pairs look alike in every number that the machine reads")
    groups = np.repeat([False, True], [len(first), len(second)])
    chance = named_generator(seed, name)
    places = np.tile(np.arange(groups.size), (1 + PERMUTATIONS, 1))  # of every member, in each permutation
    places[1:] = chance.permuted(places[1:], axis=1)
    said = groups[places]
    reached = np.zeros(len(said))
    for _ in range(REPEATS):
        fold_of = _deal(groups, chance)[places]
        for fold in range(FOLDS):
            asked = fold_of == fold
            weights = ridge_weights(table, said, ~asked)
            reached += auc_of(weights[:, :-1] @ table.T, said, asked)
    reached /= REPEATS * FOLDS
    return Separation(
        auc=float(reached[0]),
        p=float(np.mean(reached >= reached[0] - 1e-9)),  # the first row is what was observed
        folds=FOLDS,
        repeats=REPEATS,
        permutations=PERMUTATIONS,
        columns=table.shape[1],
    )


def ridge_weights(table: Numbers, said: Flags, taken: Flags, penalty: float = PENALTY) -> Numbers:
    """Fit many ridge logistic regressions to the rows of one table, the intercept last and free of the penalty.

    Row k of `said` is what fit k is to learn of each member, row k of `taken` which members it may learn from. Newton's
    method on all fits at once: since they share the table, scores, slopes and curvatures are one product each.
    """
    rows = np.hstack([table, np.ones((len(table), 1))])
    one, other = np.triu_indices(rows.shape[1])
    products = rows[:, one] * rows[:, other]
    ridge = np.full(rows.shape[1], penalty)
    ridge[-1] = 0.0
    # in parts so small that no linear algebra library spreads a product over threads, which costs more than it brings
    at_once = max(1, _PRODUCT_SIZE // products.size)
    parts = (slice(k, k + at_once) for k in range(0, len(said), at_once))
    return np.vstack([_fit(rows, products, ridge, said[part], taken[part]) for part in parts])


def _fit(rows: Numbers, products: Numbers, ridge: Numbers, said: Flags, taken: Flags) -> Numbers:
    weights = np.zeros((len(said), ridge.size))
    curve = np.empty((len(said), ridge.size, ridge.size))
    every, (one, other) = np.arange(ridge.size), np.triu_indices(ridge.size)
    for _ in range(_STEPS):
        likely = 1 / (1 + np.exp(-(weights @ rows.T)))
        slope = (said - likely) * taken @ rows - ridge * weights
        curve[:, one, other] = likely * (1 - likely) * taken @ products
        curve[:, other, one] = curve[:, one, other]
        curve[:, every, every] += ridge
        step = np.linalg.solve(curve, slope[..., None])[..., 0]
        weights += step
        if np.abs(step).max() < _SMALL_STEP:
            break
    return weights


def auc_of(scores: Numbers, said: Flags, asked: Flags) -> Numbers:
    """Give, a row, the share of couples of members asked about, one of each group, that the scores put the right way.

    Ties count half. Every row has equally many members asked about in each group.
    """
    ones = scores[asked & said].reshape(len(scores), -1, 1)
    others = scores[asked & ~said].reshape(len(scores), 1, -1)
    apart = np.where(np.abs(ones - others) < _TIE, 0.0, ones - others)
    return np.asarray((np.sign(apart).mean(axis=(1, 2)) + 1) / 2)


def _standardized(table: Numbers) -> Numbers:
    spread = table.std(axis=0)
    telling = spread > 1e-9 * np.maximum(1.0, np.abs(table).max(axis=0))
    return np.asarray((table[:, telling] - table[:, telling].mean(axis=0)) / spread[telling])


def _deal(groups: Flags, chance: np.random.Generator) -> NDArray[np.int64]:
    """Deal each group over the folds, the one from the first fold on and the other from the last, to even them out."""
    fold_of = np.empty(groups.size, dtype=np.int64)
    for group in (False, True):
        members = chance.permutation(np.flatnonzero(groups == group))
        folds = np.arange(members.size) % FOLDS
        fold_of[members] = FOLDS - 1 - folds if group else folds
    return fold_of
