"""analysis.json keeps to the ruled structure and its schema, and reads back to the same Analysis."""

import json
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import jsonschema
import pytest

from answers import a_rater, a_table, an_analysis, some_stimuli
from builders import s3
from limen.core.analysis.estimates import Estimate, Interval, Undetermined
from limen.core.findings import Analysis
from limen.core.simulated import Crowd, simulate_table
from limen.core.simulation import Observers
from limen.dataset.analysis_file import analysis_schema, decode_analysis, encode_analysis
from limen.dataset.codec import from_plain, schema_of, to_plain
from limen.errors import DataError


@cache
def _analysis(name: str) -> Analysis:
    if name == "rich":
        crowd = Crowd(raters=7, observers=Observers(d_prime=1.2, criterion_sd=0.4, pair_sd=0.4, lapse_rate=0.1))
        return an_analysis(simulate_table(s3(), some_stimuli(), crowd))
    if name == "alike":
        return an_analysis(a_table([a_rater(0, 10) for _ in range(5)]))
    pairs = tuple(s for s in some_stimuli() if s.is_pair)
    return an_analysis(a_table([a_rater()], stimuli=pairs, mode=None))


NAMES = ("rich", "alike", "bare")


@cache
def _plain(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(encode_analysis(_analysis(name)))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_the_file_keeps_to_the_published_schema(name: str) -> None:
    schema = json.loads(analysis_schema())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(_plain(name))


@pytest.mark.parametrize("name", NAMES)
def test_the_file_reads_back_to_the_same_analysis(name: str) -> None:
    assert decode_analysis(encode_analysis(_analysis(name))) == _analysis(name)


@pytest.mark.parametrize("name", NAMES)
def test_the_structure_is_the_ruled_one(name: str) -> None:
    plain = _plain(name)
    assert {"study", "n", "exclusions", "as_specified", "hypotheses", "companions", "specification"} <= set(plain)
    assert {"response_times", "attention", "debrief", "outcome"} <= set(plain)
    people = {"landed", "consented", "screened_in", "started", "completed", "withdrawn", "excluded", "analyzed"}
    assert people <= set(plain["n"])
    specified = plain["as_specified"]
    for condition in ("catastrophic", "baseline"):
        assert set(specified[condition]) == {"off", "n", "accuracy"}
    assert "p" in specified["binomial"]
    assert {"statistic", "p", "dof"} == set(specified["chi_square"])
    assert {"all", "catastrophic", "baseline"} == set(specified["fleiss_kappa"])
    for hypothesis in ("h1", "h2", "h3"):
        assert {"met", "clauses"} <= set(plain["hypotheses"][hypothesis])
    beside = plain["companions"]
    for scope in ("all", "catastrophic", "baseline"):
        assert {"percent", "fleiss_kappa", "ac1", "alpha"} <= set(beside["agreement"][scope])
    for kind in ("pooled", "mean_of_raters", "population"):
        assert {"d_prime", "c", "auc", "d_prime_interval"} <= set(beside["sdt"][kind])
    assert {"t", "df", "p"} <= set(beside["crossed_t"]["h1"])
    assert {"t", "df", "p", "p_one_sided"} <= set(beside["crossed_t"]["difference"])
    assert {"tost", "critical_counts"} <= set(beside)
    for model in ("logit", "probit", "logit_slope", "probit_slope"):
        found = beside["glmm"][model]
        assert {"lrt_p", "random", "log_likelihood", "singular", "model"} <= set(found)
        assert set(found["condition"]) == {"estimate", "se", "z", "p"}
    outcome = plain["outcome"]
    assert {"a1", "a2", "a3", "a4", "b1", "b2", "b3"} == set(outcome["clauses"])
    assert {"letter", "reason", "agreement_scope", "letter_other_scope", "companion_verdict"} <= set(outcome)


def test_a_number_is_plain_and_its_interval_stands_beside_it() -> None:
    pooled = _plain("rich")["companions"]["sdt"]["pooled"]
    low, high = pooled["d_prime_interval"]
    assert low < pooled["d_prime"] < high
    assert pooled["d_prime_n"] == 140


def test_what_is_undetermined_says_why_and_nothing_is_nan() -> None:
    alike = _plain("alike")
    assert alike["companions"]["crossed_t"]["difference"]["t"] == {
        "undetermined": "the answers do not vary, so there is no standard error"
    }
    kappa = alike["as_specified"]["fleiss_kappa"]["catastrophic"]
    assert kappa == {"undetermined": "undefined (all raters gave one answer; agreement 100 %)"}
    for name in NAMES:
        assert b"NaN" not in encode_analysis(_analysis(name))
        assert b"Infinity" not in encode_analysis(_analysis(name))


def test_exclusions_have_the_ruled_keys() -> None:
    people = [*(a_rater(shift=k) for k in range(2)), a_rater(fails=2)]
    plain = json.loads(encode_analysis(an_analysis(a_table(people))))
    (exclusion,) = plain["exclusions"]
    assert exclusion == {
        "participant": "P003",
        "rules": ["attention"],
        "first": "attention",
        "evidence": "failed 2 of 3 attention checks (ATT_GIBBERISH, ATT_IDENTICAL)",
    }


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text[:-40],
        lambda text: text.replace(b"limen.analysis/1", b"limen.analysis/9"),
        lambda text: text.replace(b'"started": 7', b'"started": "seven"'),
        lambda text: text.replace(b'"letter": "', b'"letter": "Z'),
        lambda text: b"[]",
        lambda text: b"\xff",
    ],
)
def test_a_spoiled_file_is_refused(spoil: Any) -> None:
    with pytest.raises(DataError):
        decode_analysis(spoil(encode_analysis(_analysis("rich"))))


@dataclass(frozen=True, kw_only=True)
class _Small:
    """A value with every kind of field."""

    x: Estimate | Undetermined
    near: Interval | Undetermined = field(metadata={"level": 0.9})
    note: str | None = None


def test_an_interval_that_could_not_be_had_comes_back_too() -> None:
    nothing = Undetermined(reason="one rater")
    for value in (
        _Small(x=Estimate(value=1.0, interval=nothing, n=3, method="mean"), near=Interval(low=0, high=1, level=0.9)),
        _Small(x=nothing, near=nothing, note="so"),
    ):
        plain = json.loads(json.dumps(to_plain(value)))
        assert from_plain(_Small, plain) == value
        jsonschema.validate(plain, schema_of(_Small, "small"))


def test_a_number_that_is_none_is_not_written() -> None:
    with pytest.raises(ValueError, match="Undetermined instead"):
        to_plain(float("nan"))
