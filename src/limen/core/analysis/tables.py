"""Two-by-two tables and raters × pairs tables: chi-square, Fisher's exact test, Cochran's Q."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from limen.core.analysis.estimates import ChiSquare, Undetermined
from limen.core.analysis.ratings import Contrast, Ratings

Table = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionTable:
    """Tests of independence on one 2×2 table of counts, trials taken as independent.

    `chi_square` is the protocol's number: with Yates' correction, the default of SciPy's call.
    """

    chi_square: ChiSquare
    uncorrected: ChiSquare
    fisher_p: float


def condition_table(contrast: Contrast) -> Table:
    """Count [[baseline NORMAL, baseline OFF], [target NORMAL, target OFF]], as the protocol lays it out."""
    rows = (contrast.baseline, contrast.target)
    return np.array([[part.n - part.n_off, part.n_off] for part in rows], dtype=np.int64)


def independence(table: Table) -> ConditionTable | Undetermined:
    """Test whether answers and conditions are independent in a 2×2 table of counts.

    χ² = Σ (|O−E| − min(½, |O−E|))²/E with Yates' correction, Σ (O−E)²/E without, one degree of freedom;
    Fisher: the sum of the hypergeometric probabilities not above that of the table.

    Applies to independent trials. Answers of the same raters to the same pairs are not independent, and the
    chi-square then rejects far too often (16 % at 10 raters, 65 % at 200, with rater and pair SD 0.7 and
    slope SD 0.4 on a ±1 contrast, in logits, 10 pairs a condition). A row or a column without counts leaves
    all three undetermined. Source: Yates (1934), Fisher (1934). Checked against R's `chisq.test` and
    `fisher.test` and SciPy's `chi2_contingency`.

    >>> tests = independence(np.array([[80, 20], [30, 70]]))
    >>> round(tests.chi_square.statistic, 4), round(tests.uncorrected.statistic, 4)
    (48.5051, 50.5051)
    """
    if table.shape != (2, 2) or np.any(table < 0):
        raise ValueError(f"a 2×2 table of counts is needed, not {table.tolist()}")
    rows, columns, total = table.sum(axis=1), table.sum(axis=0), table.sum()
    if np.any(rows == 0):
        return Undetermined(reason="a condition has no answers")
    if np.any(columns == 0):
        return Undetermined(reason="all answers are the same")
    expected = np.outer(rows, columns) / total
    distance = np.abs(table - expected)
    corrected = distance - np.minimum(0.5, distance)
    return ConditionTable(
        chi_square=ChiSquare(statistic=float((corrected**2 / expected).sum()), dof=1),
        uncorrected=ChiSquare(statistic=float((distance**2 / expected).sum()), dof=1),
        fisher_p=fisher_p(table),
    )


def fisher_p(table: ArrayLike) -> float:
    """Give Fisher's exact two-sided p: the sum over all tables with these margins that are no likelier than this one.

    Source: Fisher (1934). Checked against R's `fisher.test` and SciPy's `fisher_exact`.

    >>> round(fisher_p([[0, 10], [5, 5]]), 3)
    0.033
    """
    counted = np.asarray(table, dtype=np.int64)
    first, marked, total = int(counted[0].sum()), int(counted[:, 0].sum()), int(counted.sum())
    counts = np.arange(max(0, first + marked - total), min(first, marked) + 1)
    log_mass = (
        _log_choose(marked, counts) + _log_choose(total - marked, first - counts) - _log_choose(total, np.array(first))
    )
    as_unlikely = log_mass <= log_mass[int(counted[0, 0]) - counts[0]] + 1e-7
    return min(1.0, float(np.exp(log_mass[as_unlikely]).sum()))


def cochran_q(ratings: Ratings) -> ChiSquare | Undetermined:
    """Test whether all pairs have the same OFF rate, each rater being a block of their own.

    Q = (I−1)·(I·Σ s_i² − S²) / (I·S − Σ s_r²) with pair sums s_i, rater sums s_r and total S; I−1 degrees
    of freedom. Raters who answered every pair alike tell nothing about pairs and cancel out.

    Applies to complete raters × pairs; the chi-square distribution holds for many raters. Source: Cochran
    (1950). Checked against statsmodels' `cochrans_q`.

    >>> q = cochran_q(Ratings.of([[1, 1, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], ["calm"] * 3))
    >>> round(q.statistic, 4), q.dof
    (4.5, 2)
    """
    if ratings.missing:
        return Undetermined(reason=f"{ratings.missing} of {ratings.off.size} answers are missing")
    if ratings.pairs < 2:
        return Undetermined(reason="at least two pairs are needed")
    of_pairs = ratings.off_counts()
    of_raters = ratings.off.sum(axis=1, dtype=np.int64)
    total = int(of_pairs.sum())
    varied = ratings.pairs * total - int((of_raters**2).sum())
    if varied == 0:
        return Undetermined(reason="every rater gave all pairs the same answer")
    spread = ratings.pairs * int((of_pairs**2).sum()) - total**2
    return ChiSquare(statistic=(ratings.pairs - 1) * spread / varied, dof=ratings.pairs - 1)


def _log_choose(n: int, k: NDArray[np.int64]) -> NDArray[np.float64]:
    chosen: NDArray[np.float64] = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    return chosen
