import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from limen.core.analysis import separation
from limen.core.analysis.estimates import Undetermined
from limen.core.analysis.separation import Flags, Separation, auc_of, ridge_weights, separate


def _groups(rows: int, columns: int, apart: float, seed: int = 3) -> tuple[list[list[float]], list[list[float]]]:
    chance = np.random.default_rng(seed)
    first, second = chance.normal(size=(rows, columns)), chance.normal(size=(rows, columns))
    second[:, 0] += apart
    return first.tolist(), second.tolist()


def test_the_weights_are_those_of_scikit_learn() -> None:
    chance = np.random.default_rng(1)
    table = chance.normal(size=(30, 6))
    said = chance.random((4, 30)) < 0.5
    taken = chance.random((4, 30)) < 0.8
    weights = ridge_weights(table, said, taken)
    for fit in range(4):
        rows = taken[fit]
        theirs = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(table[rows], said[fit][rows])
        assert weights[fit, :-1] == pytest.approx(theirs.coef_[0], abs=1e-5)
        assert weights[fit, -1] == pytest.approx(theirs.intercept_[0], abs=1e-5)


def test_the_auc_is_that_of_scikit_learn_ties_counted_half() -> None:
    chance = np.random.default_rng(2)
    scores = chance.integers(0, 4, size=(5, 12)).astype(float)
    said = np.tile(np.arange(12) % 2 == 0, (5, 1))
    asked = np.tile(np.arange(12) < 10, (5, 1))
    found = auc_of(scores, said, asked)
    assert found == pytest.approx([roc_auc_score(said[0, :10], row[:10]) for row in scores])


def test_the_cross_validated_auc_is_that_of_scikit_learn_on_the_same_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(separation, "PERMUTATIONS", 1)
    dealt = []
    deal = separation._deal

    def deal_and_note(groups: Flags, chance: np.random.Generator) -> NDArray[np.int64]:
        dealt.append(deal(groups, chance))
        return dealt[-1]

    monkeypatch.setattr(separation, "_deal", deal_and_note)
    first, second = _groups(10, 4, apart=0.7)
    found = separate(first, second, 1, "folds")
    assert isinstance(found, Separation)
    table = np.array(first + second)
    table = (table - table.mean(axis=0)) / table.std(axis=0)
    groups = np.repeat([0, 1], 10)
    aucs = []
    for fold_of in dealt:
        for fold in range(separation.FOLDS):
            held_out = fold_of == fold
            assert groups[held_out].sum() == 2  # stratified
            model = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(table[~held_out], groups[~held_out])
            aucs.append(roc_auc_score(groups[held_out], model.decision_function(table[held_out])))
    assert len(aucs) == separation.FOLDS * separation.REPEATS
    assert found.auc == pytest.approx(np.mean(aucs))


def test_groups_that_differ_are_told_apart_and_the_same_seed_says_the_same() -> None:
    found = separate(*_groups(10, 3, apart=8.0), 1, "apart")
    assert isinstance(found, Separation)
    assert found.auc > 0.95
    assert found.p == pytest.approx(1 / 2001, abs=0.002)
    assert found == separate(*_groups(10, 3, apart=8.0), 1, "apart")


def test_groups_that_do_not_differ_are_called_different_no_more_often_than_promised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(separation, "PERMUTATIONS", 99)
    monkeypatch.setattr(separation, "REPEATS", 1)
    ps = [separate(*_groups(8, 3, apart=0.0, seed=seed), 1, "null") for seed in range(200)]
    below = sum(found.p <= 0.05 for found in ps if isinstance(found, Separation))
    assert below <= 18  # of 200: 10 expected, 18 is the 99th percentile


def test_too_few_members_or_nothing_that_differs_is_undetermined() -> None:
    few = separate(*_groups(4, 2, apart=1.0), 1, "few")
    assert few == Undetermined(reason="4 pairs in a condition; 5-fold cross-validation needs 5")
    assert separate([], [[1.0]], 1, "none") == Undetermined(
        reason="0 pairs in a condition; 5-fold cross-validation needs 5"
    )
    alike = separate([[1.0, 2.0]] * 6, [[1.0, 2.0]] * 6, 1, "alike")
    assert isinstance(alike, Undetermined)
    assert "look alike" in alike.reason


def test_a_column_that_never_varies_is_left_out() -> None:
    first, second = _groups(6, 1, apart=3.0)
    found = separate([[7.0, *row] for row in first], [[7.0, *row] for row in second], 1, "constant")
    assert isinstance(found, Separation)
    assert found.columns == 1
