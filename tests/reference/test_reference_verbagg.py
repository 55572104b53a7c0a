"""The engine with any fixed-effects matrix: VerbAgg, 316 persons × 24 items, six effects, against lme4.

lme4 stops a little short of the maximum here: at its printed estimates the gradient of the likelihood is
not nothing, and the likelihood is lower than at ours. The intercept, small beside its standard error
(0.199 against 0.406), is where this shows: ours is 0.012 % of its value, 0.006 % of its standard error,
away from lme4's, and 0.003 % of its value from glmmTMB's.
"""

import csv
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from limen.core.analysis.laplace import CrossedDesign, Parameters, laplace
from limen.core.analysis.links import Link
from limen.core.analysis.mixed_models import MixedModelFit, fit_mixed_model

BESIDE = Path(__file__).parents[3] / "shared"
REFERENCE = Path(os.environ.get("LIMEN_SHARED", BESIDE)) / "reference"

pytestmark = pytest.mark.skipif(
    not (REFERENCE / "glmm_verbagg.csv").exists(),
    reason="VerbAgg is another package's data and not in the repository; set LIMEN_SHARED to its folder",
)


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    case: dict[str, Any] = json.loads((REFERENCE / "glmm_verbagg.json").read_text())["expected"]
    return case


@pytest.fixture(scope="module")
def design() -> CrossedDesign:
    with (REFERENCE / "glmm_verbagg.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    persons = {name: place for place, name in enumerate(dict.fromkeys(row["id"] for row in rows))}
    items = {name: place for place, name in enumerate(dict.fromkeys(row["item"] for row in rows))}
    cells = (len(persons), len(items))
    said, answered, fixed = np.zeros(cells, bool), np.zeros(cells, bool), np.zeros((*cells, 6))
    for row in rows:
        cell = persons[row["id"]], items[row["item"]]
        said[cell], answered[cell] = row["y"] == "1", True
        fixed[cell] = [
            1.0,
            float(row["Anger"]),
            row["Gender"] == "M",
            row["btype"] == "scold",
            row["btype"] == "shout",
            row["situ"] == "self",
        ]
    return CrossedDesign(off=said, answered=answered, fixed=fixed, rater_terms=np.ones((1, len(items), 1)))


@pytest.fixture(scope="module")
def fit(design: CrossedDesign) -> MixedModelFit:
    found = fit_mixed_model(design, Link.LOGIT)
    assert isinstance(found, MixedModelFit)
    return found


def test_predictor_effects_are_within_a_hundredth_of_a_percent_of_lme4(
    fit: MixedModelFit, expected: dict[str, Any]
) -> None:
    effects = [effect["estimate"] for effect in expected["fixed"].values()]
    assert fit.parameters.effects[1:] == pytest.approx(effects[1:], rel=1e-4)


def test_every_effect_is_within_a_hundredth_of_a_percent_of_its_standard_error(
    fit: MixedModelFit, expected: dict[str, Any]
) -> None:
    for place, effect in enumerate(expected["fixed"].values()):
        assert fit.parameters.effects[place] == pytest.approx(effect["estimate"], abs=1e-4 * effect["se"])


def test_the_intercept_is_nearer_to_glmmtmb_than_lme4_is(fit: MixedModelFit, expected: dict[str, Any]) -> None:
    other = expected["glmmTMB_check"]["estimate"]["(Intercept)"]
    printed = expected["fixed"]["(Intercept)"]["estimate"]
    assert fit.parameters.effects[0] == pytest.approx(other, rel=1e-4)
    assert abs(fit.parameters.effects[0] - other) < abs(printed - other)


def test_every_effect_is_within_a_hundredth_of_a_percent_of_lme4_run_to_its_end(fit: MixedModelFit) -> None:
    """The case's fit ends by lme4's default tolerance; these are of the same call with a tighter one.

    R 4.2.2, lme4 1.1-31: glmer(y ~ Anger + Gender + btype + situ + (1|id) + (1|item), family = binomial, control =
    glmerControl("nloptwrap", tolPwrss = 1e-13, optCtrl = list(ftol_abs = 1e-14, xtol_abs = 1e-14, ftol_rel = 1e-14,
    xtol_rel = 1e-14, maxeval = 2e5))); log-likelihood -4075.6998598728, above the case's -4075.6998598772.
    """
    effects = [0.199053574083, 0.057429775225, 0.320708488864, -1.05879919407, -2.10540204827, -1.05546338427]
    assert fit.parameters.effects == pytest.approx(effects, rel=1e-4)
    assert fit.log_likelihood == pytest.approx(-4075.6998598728, abs=1e-8)


def test_standard_errors_are_within_a_tenth_of_a_percent_of_lme4(fit: MixedModelFit, expected: dict[str, Any]) -> None:
    errors = [effect["se"] for effect in expected["fixed"].values()]
    assert fit.standard_errors == pytest.approx(errors, rel=1e-3)


def test_spreads_and_likelihood_are_those_of_lme4(fit: MixedModelFit, expected: dict[str, Any]) -> None:
    spreads = {spread["group"]: spread["sd_or_cor"] for spread in expected["random_sd"]}
    assert fit.rater_sds[0] == pytest.approx(spreads["id"], rel=1e-5)
    assert fit.parameters.pair_sd == pytest.approx(spreads["item"], rel=1e-5)
    assert fit.log_likelihood == pytest.approx(expected["logLik"], abs=1e-6)


def test_the_maximum_lies_above_lme4s_own_estimates(
    design: CrossedDesign, fit: MixedModelFit, expected: dict[str, Any]
) -> None:
    spreads = {spread["group"]: spread["sd_or_cor"] for spread in expected["random_sd"]}
    printed = Parameters(
        effects=np.array([effect["estimate"] for effect in expected["fixed"].values()]),
        rater_factor=np.array([[spreads["id"]]]),
        pair_sd=spreads["item"],
    )
    theirs, ours = laplace(design, Link.LOGIT, printed), laplace(design, Link.LOGIT, fit.parameters)
    assert theirs.log_likelihood == pytest.approx(expected["logLik"], abs=1e-8)
    assert ours.log_likelihood > theirs.log_likelihood
    assert np.abs(ours.gradient.effects).max() < 1e-6 * np.abs(theirs.gradient.effects).max()
