"""The specification table: what the outcome and the effect would have been, had the study been analyzed otherwise."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limen.core.analysis.agreement import gwet_ac1, krippendorff_alpha
from limen.core.analysis.estimates import Estimate, Undetermined
from limen.core.analysis.hierarchical import ConditionModel, fit_intercept_model
from limen.core.analysis.links import Link
from limen.core.companions import condition_difference
from limen.core.criteria import ExclusionKind, Scope
from limen.core.estimation import estimate_as_specified, evidence_for, other_scope, scope_key, scopes
from limen.core.exclusion import Judged, no_variance
from limen.core.flagging import Flagging
from limen.core.measures import Number
from limen.core.numerals import counted
from limen.core.outcome import Letter, MixedReason, decide
from limen.core.protocol import ConditionRole, Protocol
from limen.core.sample import Sample, take_sample

Flags = NDArray[np.bool_]

DECLARED = "declared"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What one way of analyzing comes to."""

    letter: Letter
    reason: MixedReason | None
    raters: int
    complete_raters: int
    off_rates: Mapping[str, Number]
    difference: Estimate | Undetermined  # of OFF rates, crossed interval
    binomial_p: Number
    chi_square_p: Number
    fleiss_kappa: Number  # in `agreement_scope`
    agreement_scope: Scope
    ac1: Number
    alpha: Number
    log_odds: Estimate | Undetermined  # of condition, logit model


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecificationRow:
    """One way to analyze, and what comes of it."""

    key: str
    name: str
    result: Result | Undetermined
    remark: str = ""


def tabulate_specifications(
    sample: Sample,
    protocol: Protocol,
    judged: Judged,
    flagging: Flagging,
    declared_model: ConditionModel | Undetermined,
) -> tuple[SpecificationRow, ...]:
    """Give the declared analysis and every other row; `declared_model` is the declared sample's logit model."""
    return tuple(_Rows(sample, protocol, judged, flagging, declared_model).all())


class _Rows:
    """The rows one by one. Rows that rest on the same answers share one fit."""

    def __init__(
        self,
        sample: Sample,
        protocol: Protocol,
        judged: Judged,
        flagging: Flagging,
        declared_model: ConditionModel | Undetermined,
    ) -> None:
        self.declared = sample
        self.protocol = protocol
        self.judged = judged
        self.flagging = flagging
        self.fits = {_identity(sample): declared_model}

    def all(self) -> Iterator[SpecificationRow]:
        yield self._row(DECLARED, "as declared", self.declared)
        for report in self.judged.rules:
            yield self._without(report.rule, "" if report.assessed else "the rule could not be assessed anyway")
        yield self._kept(
            "without_exclusions", "no exclusion rule", self.judged.kept_without(*self.judged.hits), tells_complete=True
        )
        yield self._other_no_variance()
        scope = other_scope(self.protocol.decision.agreement_scope)
        yield self._row("other_agreement_scope", f"κ over {self._pairs_of(scope)} pairs", self.declared, scope=scope)
        yield self._strict()
        yield self._without_flagged()

    def _pairs_of(self, scope: Scope) -> str:
        target, baseline = self.declared.target.name, self.declared.baseline.name
        if scope is Scope.TARGET:
            return target
        return "all" if len(self.protocol.conditions) == 2 else f"all {target} and {baseline}"

    def _without(self, kind: ExclusionKind, remark: str) -> SpecificationRow:
        kept = self.judged.kept_without(kind)
        tells = kind is ExclusionKind.INCOMPLETE
        return self._kept(f"without_{kind}", f"rule off: {_RULE_NAMES[kind]}", kept, remark, tells_complete=tells)

    def _other_no_variance(self) -> SpecificationRow:
        rule = next((r for r in self.protocol.exclusions if r.rule is ExclusionKind.NO_VARIANCE), None)
        over = Scope.ALL if rule is not None and rule.over is Scope.PAIRS else Scope.PAIRS
        what = "all trials" if over is Scope.ALL else f"the {self.declared.pairs.size} pairs"
        key, name = f"no_variance_over_{over}", f"rule on identical responses over {what}"
        if rule is None:
            return SpecificationRow(key=key, name=name, result=Undetermined(reason="the protocol has no such rule"))
        alike = no_variance(self.declared.table, self.judged.complete, over)
        return self._kept(key, name, self.judged.kept_without(ExclusionKind.NO_VARIANCE) & ~alike)

    def _strict(self) -> SpecificationRow:
        key, name = "strict_pairs", f"strict pairs only (A {self.declared.baseline.drift} everywhere)"
        table, bound = self.declared.table, self.declared.baseline.drift
        places = self.declared.pairs.tolist()
        roles = {condition.name: condition.role for condition in self.protocol.conditions}
        others = [p for p in places if roles[table.stimuli[p].condition or ""] is not ConditionRole.BASELINE]
        if any(table.stimuli[place].drift_a is None for place in others):
            reason = Undetermined(reason="the drift of Response A is not known")
            return SpecificationRow(key=key, name=name, result=reason)
        loose = {place for place in others if (table.stimuli[place].drift_a or 0.0) not in bound}
        pairs = np.array([place for place in places if place not in loose], dtype=np.int64)
        sample = take_sample(table, self.protocol, self.declared.kept, pairs)
        return self._row(key, name, sample, remark=f"{len(loose)} of {len(places)} pairs left out")

    def _without_flagged(self) -> SpecificationRow:
        key, name = "without_flagged", "flagged participants out"
        if not self.flagging.by_kind:
            reason = Undetermined(reason="the table has neither reading times with words, copies nor focus losses")
            return SpecificationRow(key=key, name=name, result=reason)
        missing = ", ".join(kind.replace("_", " ") for kind in self.flagging.not_assessed)
        remark = f"not assessed: {missing}" if missing else ""
        return self._kept(key, name, self.judged.kept & ~self.flagging.flagged, remark)

    def _kept(
        self, key: str, name: str, kept: Flags, remark: str = "", *, tells_complete: bool = False
    ) -> SpecificationRow:
        sample = take_sample(self.declared.table, self.protocol, kept)
        if tells_complete:
            complete = sample.complete.raters
            rest = f"κ and the crossed interval rest on {counted(complete, 'rater')} with all pairs answered"
            remark = f"{remark}; {rest}" if remark else rest
        return self._row(key, name, sample, remark=remark)

    def _row(
        self, key: str, name: str, sample: Sample, *, remark: str = "", scope: Scope | None = None
    ) -> SpecificationRow:
        return SpecificationRow(key=key, name=name, result=self._result(sample, scope), remark=remark)

    def _result(self, sample: Sample, scope: Scope | None) -> Result:
        scope = scope or self.protocol.decision.agreement_scope
        found = estimate_as_specified(sample, self.protocol)
        verdict = decide(evidence_for(sample, found, scope), self.protocol.decision, self.protocol.study.minimum_raters)
        key = scope_key(sample, scope)
        counts = scopes(sample.ratings, self.protocol)[key].category_counts()
        return Result(
            letter=verdict.letter,
            reason=verdict.reason,
            raters=sample.ratings.raters,
            complete_raters=sample.complete.raters,
            off_rates={
                name: part.off / part.n if part.n else Undetermined(reason="there are no answers")
                for name, part in found.conditions.items()
            },
            difference=condition_difference(sample).difference,
            binomial_p=found.binomial.p,
            chi_square_p=found.chi_square.p,
            fleiss_kappa=found.fleiss_kappa[key],
            agreement_scope=scope,
            ac1=gwet_ac1(counts),
            alpha=krippendorff_alpha(counts),
            log_odds=_log_odds(self._model(sample)),
        )

    def _model(self, sample: Sample) -> ConditionModel | Undetermined:
        identity = _identity(sample)
        if identity not in self.fits:
            self.fits[identity] = fit_intercept_model(sample.contrast, Link.LOGIT)
        return self.fits[identity]


_RULE_NAMES = {
    ExclusionKind.INCOMPLETE: "not all trials completed",
    ExclusionKind.ATTENTION: "attention checks failed",
    ExclusionKind.TOO_FAST: "too fast",
    ExclusionKind.NO_VARIANCE: "all responses identical",
}


def _identity(sample: Sample) -> tuple[bytes, bytes]:
    return sample.kept.tobytes(), sample.pairs.tobytes()


def _log_odds(model: ConditionModel | Undetermined) -> Estimate | Undetermined:
    if isinstance(model, Undetermined):
        return model
    return Estimate(
        value=model.condition.estimate, interval=model.condition.interval(), n=model.n, method=f"logit: {model.formula}"
    )
