"""The block elimination and the exact gradient against plain dense computations."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from limen.core.analysis.laplace import CrossedDesign, Parameters, conditional_effects, laplace
from limen.core.analysis.links import Link, derivatives, log_likelihood

Floats = NDArray[np.float64]
RATERS, PAIRS = 5, 6


def a_design(terms: int, *, shared: bool = True, gaps: bool = False) -> CrossedDesign:
    rng = np.random.default_rng(terms)
    condition = np.repeat([-0.5, 0.5], 3)
    by_pair = np.stack([np.ones(PAIRS), condition], axis=1)[None, :, :terms]
    by_rater = np.concatenate([np.ones((RATERS, PAIRS, 1)), rng.normal(size=(RATERS, PAIRS, terms - 1))], axis=2)
    return CrossedDesign(
        off=rng.random((RATERS, PAIRS)) < 0.5,
        answered=rng.random((RATERS, PAIRS)) < (0.7 if gaps else 1.1),
        fixed=np.stack([np.ones((RATERS, PAIRS)), rng.normal(size=(RATERS, PAIRS))], axis=2),
        rater_terms=by_pair if shared else by_rater,
    )


def parameters(terms: int) -> Parameters:
    factor = np.array([[0.8, 0.0], [-0.3, 0.6]])[:terms, :terms]
    return Parameters(effects=np.array([0.3, -0.7]), rater_factor=factor, pair_sd=0.9)


def dense(
    design: CrossedDesign, link: Link, at: Parameters, start: Floats | None = None
) -> tuple[float, Floats, Floats]:
    """Give log-likelihood, û (raters first) and H⁻¹, with Z·Λ written out."""
    terms = design.rater_terms.shape[2]
    scaled = np.broadcast_to(design.rater_terms @ at.rater_factor, (RATERS, PAIRS, terms))
    rows = [(r, i) for r in range(RATERS) for i in range(PAIRS) if design.answered[r, i]]
    z = np.zeros((len(rows), RATERS * terms + PAIRS))
    for row, (r, i) in enumerate(rows):
        z[row, r * terms : (r + 1) * terms] = scaled[r, i]
        z[row, RATERS * terms + i] = at.pair_sd
    sign = np.array([1.0 if design.off[cell] else -1.0 for cell in rows])
    center = np.array([design.fixed[cell] @ at.effects for cell in rows])
    u = np.zeros(z.shape[1]) if start is None else start
    for _ in range(50):
        local = derivatives(link, sign, center + z @ u)
        hessian = z.T @ (local.weight[:, None] * z) + np.eye(u.size)
        u = u + np.linalg.solve(hessian, z.T @ local.slope - u)
    local = derivatives(link, sign, center + z @ u)
    hessian = z.T @ (local.weight[:, None] * z) + np.eye(u.size)
    height = log_likelihood(link, sign, center + z @ u).sum() - u @ u / 2
    return (
        float(height - np.linalg.slogdet(hessian)[1] / 2),
        np.asarray(u),
        np.asarray(np.linalg.inv(hessian), dtype=np.float64),
    )


every_kind = pytest.mark.parametrize(
    ("link", "terms", "shared", "gaps"),
    [
        (Link.LOGIT, 1, True, False),
        (Link.PROBIT, 1, True, True),
        (Link.LOGIT, 2, True, True),
        (Link.PROBIT, 2, True, False),
        (Link.LOGIT, 2, False, False),
        (Link.PROBIT, 2, False, True),
    ],
)


@every_kind
def test_the_likelihood_is_that_of_the_dense_formula(link: Link, terms: int, shared: bool, gaps: bool) -> None:
    design, at = a_design(terms, shared=shared, gaps=gaps), parameters(terms)
    expected, u, _ = dense(design, link, at)
    found = laplace(design, link, at)
    assert found.log_likelihood == pytest.approx(expected, rel=1e-12)
    assert np.concatenate([found.mode.raters.ravel(), found.mode.pairs]) == pytest.approx(u, abs=1e-8)


@every_kind
def test_the_gradient_equals_central_differences(link: Link, terms: int, shared: bool, gaps: bool) -> None:
    design, at, step = a_design(terms, shared=shared, gaps=gaps), parameters(terms), 1e-5
    gradient = laplace(design, link, at).gradient

    def slope(field: str, direction: Floats | float) -> float:
        ahead, behind = (
            laplace(design, link, replace(at, **{field: getattr(at, field) + side * direction})).log_likelihood
            for side in (step, -step)
        )
        return (ahead - behind) / (2 * step)

    for place in range(2):
        expected = slope("effects", np.eye(2)[place])
        assert gradient.effects[place] == pytest.approx(expected, abs=1e-7)
    for row, column in zip(*np.tril_indices(terms), strict=True):
        entry = np.zeros((terms, terms))
        entry[row, column] = 1.0
        assert gradient.rater_factor[row, column] == pytest.approx(slope("rater_factor", entry), abs=1e-7)
    assert gradient.pair_sd == pytest.approx(slope("pair_sd", 1.0), abs=1e-7)


@every_kind
def test_conditional_sds_are_those_of_the_dense_inverse(link: Link, terms: int, shared: bool, gaps: bool) -> None:
    design, at = a_design(terms, shared=shared, gaps=gaps), parameters(terms)
    _, u, inverse = dense(design, link, at)
    found = conditional_effects(design, link, at)
    assert found.pairs == pytest.approx(at.pair_sd * u[RATERS * terms :])
    assert found.pair_sds == pytest.approx(at.pair_sd * np.sqrt(np.diagonal(inverse)[RATERS * terms :]))
    for rater in range(RATERS):
        block = slice(rater * terms, (rater + 1) * terms)
        covariance = at.rater_factor @ inverse[block, block] @ at.rater_factor.T
        assert found.raters[rater] == pytest.approx(at.rater_factor @ u[block])
        assert found.rater_sds[rater] == pytest.approx(np.sqrt(np.diagonal(covariance)))


def test_the_mode_does_not_depend_on_where_the_search_starts() -> None:
    design, at = a_design(2), parameters(2)
    cold = laplace(design, Link.LOGIT, at)
    warm = laplace(design, Link.LOGIT, at, start=cold.mode)
    assert warm.log_likelihood == pytest.approx(cold.log_likelihood, rel=1e-14)


@pytest.mark.parametrize("link", Link)
def test_large_spreads_do_not_throw_the_search_off(link: Link) -> None:
    # from u = 0 the undamped steps of `dense` run away here; started at the mode they must stay
    wide = Parameters(effects=np.array([4.0, -6.0]), rater_factor=9.0 * np.eye(2), pair_sd=12.0)
    found = laplace(a_design(2), link, wide)
    mode = np.concatenate([found.mode.raters.ravel(), found.mode.pairs])
    expected, u, _ = dense(a_design(2), link, wide, start=mode)
    assert u == pytest.approx(mode, abs=1e-8)
    assert found.log_likelihood == pytest.approx(expected, rel=1e-10)


def test_a_rater_without_answers_changes_nothing() -> None:
    design = a_design(2)
    more = CrossedDesign(
        off=np.vstack([design.off, np.ones((1, PAIRS), bool)]),
        answered=np.vstack([design.answered, np.zeros((1, PAIRS), bool)]),
        fixed=np.concatenate([design.fixed, design.fixed[:1]]),
        rater_terms=design.rater_terms,
    )
    one, other = (laplace(part, Link.PROBIT, parameters(2)).log_likelihood for part in (design, more))
    assert one == pytest.approx(other, rel=1e-13)


def test_shapes_that_do_not_fit_are_refused() -> None:
    design = a_design(1)
    with pytest.raises(ValueError, match="predictors"):
        CrossedDesign(off=design.off, answered=design.answered, fixed=design.fixed[1:], rater_terms=design.rater_terms)
    with pytest.raises(ValueError, match="rater terms"):
        CrossedDesign(off=design.off, answered=design.answered, fixed=design.fixed, rater_terms=np.ones((2, PAIRS, 1)))
