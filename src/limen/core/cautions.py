"""What the confound audit has to say in sentences: it warns, and never stops a study."""

from collections.abc import Iterator

from limen.core import notation
from limen.core.analysis.estimates import Estimate, Interval, Undetermined
from limen.core.audit import Finding, Severity
from limen.core.confounds import Comparison, ConfoundAudit, FeatureDifference
from limen.core.features import MEANING, SURFACE, Feature

ALPHA = 0.05
LARGE = 0.8
"""Standard deviations from which a difference is called large (Cohen 1988)."""

_OUGHT_TO_BE_ALIKE = (*SURFACE, Feature.TURN_GAP)


def cautions(confounds: ConfoundAudit) -> tuple[Finding, ...]:
    """Give what a researcher should know before trusting that raters judge drift."""
    return tuple(finding for comparison in confounds.comparisons for finding in _about(comparison, confounds))


def machine_sentence(comparison: Comparison) -> str:
    """Say how well the surface alone tells two conditions apart."""
    other, reference = comparison.other, comparison.reference
    reader = "a machine that reads only length, markdown and punctuation"
    machine = comparison.machine
    if isinstance(machine, Undetermined):
        return f"whether {reader} tells {other} from {reference} is undetermined: {machine.reason}"
    figures = f"AUC {notation.decimal(machine.auc)} ({notation.p_value(machine.p)})"
    if tells_apart(comparison):
        return f"{reader} tells {other} from {reference} with {figures}; raters may be doing the same"
    return f"{reader} does not tell {other} from {reference} better than chance: {figures}"


def tells_apart(comparison: Comparison) -> bool:
    """Tell whether the surface gives the condition away more often than by chance."""
    return not isinstance(comparison.machine, Undetermined) and comparison.machine.p < ALPHA


def before_sentence(comparison: Comparison, confounds: ConfoundAudit) -> str:
    """Say how well it would have done without matching; empty where nothing was matched."""
    found = [b for b in confounds.before if (b.reference, b.other) == (comparison.reference, comparison.other)]
    if not found or found[0].auc is None or found[0].p is None:
        return ""
    return f"without matching: AUC {notation.decimal(found[0].auc)} ({notation.p_value(found[0].p)})"


def _about(comparison: Comparison, confounds: ConfoundAudit) -> Iterator[Finding]:
    tells = tells_apart(comparison)
    before = before_sentence(comparison, confounds)
    apart = [row for row in comparison.features if row.feature in _OUGHT_TO_BE_ALIKE and _is_large(row)]
    names = ", ".join(f'"{row.feature}"' for row in apart)
    mend = f"match = [{names}] in [selection] of study.toml keeps them alike where the logs allow" if apart else ""
    if apart and set(confounds.matched) >= {row.feature for row in apart}:
        mend = "they are matched as far as these logs allow; more logs give more to choose from"
    yield Finding(
        severity=Severity.WARNING if tells else Severity.NOTE,
        subject=comparison.other,
        text="; ".join(filter(None, (machine_sentence(comparison), before))),
        mend="" if not tells else mend or 'match = ["words", …] in [selection] of study.toml; see the table',
    )
    if apart:
        listed = ", ".join(f"{MEANING[row.feature]} ({_largest(row)})" for row in apart)
        yield Finding(
            severity=Severity.WARNING,
            subject=comparison.other,
            text=f"far from {comparison.reference} in more than drift: {listed}",
            mend="" if tells else mend,
        )
    yield from _other_sources(comparison)


def _other_sources(comparison: Comparison) -> Iterator[Finding]:
    """Warn where conditions are made up of other models, providers or runs than chance would make them."""
    found = [
        (row.kind.replace("_", " "), row.mix)
        for row in comparison.kinds
        if not isinstance(row.mix, Undetermined) and row.mix.p < ALPHA
    ]
    if not found:
        return
    kinds = " and ".join(f"{kind}s" for kind, _ in found)
    shares = ", ".join(f"{kind} {notation.percent(mix.distance)} ({notation.p_value(mix.p)})" for kind, mix in found)
    yield Finding(
        severity=Severity.WARNING,
        subject=comparison.other,
        text=f"comes from other {kinds} than {comparison.reference}; what raters notice may be that, not drift "
        f"(share that would have to change to be mixed alike: {shares})",
        mend=f"choose logs in which both conditions occur with the same {kinds}, or say so where you report this study",
    )


def _is_large(row: FeatureDifference) -> bool:
    """Tell whether a difference is large and not only by chance."""
    return any(
        isinstance(found, Estimate)
        and abs(found.value) >= LARGE
        and isinstance(found.interval, Interval)
        and not found.interval.low <= 0 <= found.interval.high
        for found in (row.in_b, row.change)
    )


def _largest(row: FeatureDifference) -> str:
    both = {"": row.in_b, "in the change from A to B ": row.change}
    known = {name: found for name, found in both.items() if isinstance(found, Estimate)}
    name = max(known, key=lambda name: abs(known[name].value))
    return f"{name}{notation.decimal(known[name].value)} SD"
