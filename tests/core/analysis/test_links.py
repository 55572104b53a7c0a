import numpy as np
import pytest

from limen.core.analysis.links import Link, derivatives, log_likelihood, weight_slope

ETA = np.linspace(-6, 6, 49)


@pytest.mark.parametrize("link", Link)
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_derivatives_equal_central_differences(link: Link, sign: float) -> None:
    signs, step = np.full(ETA.shape, sign), 1e-5
    at = derivatives(link, signs, ETA)
    ahead, behind = derivatives(link, signs, ETA + step), derivatives(link, signs, ETA - step)
    rise = log_likelihood(link, signs, ETA + step) - log_likelihood(link, signs, ETA - step)
    assert at.slope == pytest.approx(rise / (2 * step), abs=1e-8)
    assert at.weight == pytest.approx(-(ahead.slope - behind.slope) / (2 * step), abs=1e-8)
    assert weight_slope(link, signs, ETA) == pytest.approx((ahead.weight - behind.weight) / (2 * step), abs=1e-8)


@pytest.mark.parametrize("link", Link)
def test_normal_and_off_share_all_probability(link: Link) -> None:
    off = np.exp(log_likelihood(link, np.ones(ETA.shape), ETA))
    normal = np.exp(log_likelihood(link, -np.ones(ETA.shape), ETA))
    assert off + normal == pytest.approx(np.ones(ETA.shape))


@pytest.mark.parametrize("link", Link)
def test_far_out_everything_stays_finite_and_the_information_positive(link: Link) -> None:
    far = np.array([-30.0, -20.0, 20.0, 30.0])
    at = derivatives(link, np.ones(4), far)
    for values in (at.slope, at.weight, weight_slope(link, np.ones(4), far)):
        assert np.isfinite(values).all()
    assert (at.weight >= 0).all()


def test_the_probit_information_is_the_observed_one() -> None:
    # at eta = 1: observed g(g + 1) for OFF and NORMAL differ, expected information is one number for both
    off, normal = derivatives(Link.PROBIT, np.array([1.0, -1.0]), np.array([1.0, 1.0])).weight
    assert off == pytest.approx(0.370, abs=5e-4)
    assert normal == pytest.approx(0.801, abs=5e-4)
