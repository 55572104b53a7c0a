"""The audit before anyone sees the study: what is wrong, what to know, and how to mend it."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from itertools import combinations
from unicodedata import category, normalize

from limen.core.excerpt import count_words
from limen.core.flags import CONTEXT_PROPOSED, DRIFT_OF_FULL_TEXT, METRIC_UNKNOWN, SELF_REFERENCE
from limen.core.numerals import counted
from limen.core.pair import ANY_PROVIDER, cell_of
from limen.core.protocol import CheckKind, Condition, ConditionRole, DriftRange, Protocol, even_positions
from limen.core.scrubbing import find_leaks, find_markup
from limen.core.stimuli import StimulusSet, minutes_to_read, total_words
from limen.core.wording import HYPOTHESIS_WORDS


class Severity(StrEnum):
    """A problem stops a live study; a warning and a note do not."""

    PROBLEM = "problem"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something the audit found."""

    severity: Severity
    subject: str  # "CAT_03", "BASELINE", "consent"
    text: str
    mend: str = ""


def audit(protocol: Protocol, stimuli: StimulusSet) -> tuple[Finding, ...]:
    """Look at everything that can be looked at without a participant; problems come first."""
    findings = [
        *_counts(protocol, stimuli),
        *_misspelt_providers(protocol, stimuli),
        *_attention_checks(protocol, stimuli),
        *_words(protocol, stimuli),
        *_bands(stimuli),
        *_overlaps(protocol, stimuli),
        *_leaks(stimuli),
        *_hypothesis(protocol, stimuli),
        *_contact(protocol),
        *_repeated_texts(protocol, stimuli),
        *_flags(protocol, stimuli),
        *_time(protocol, stimuli),
    ]
    return in_order(tuple(findings))


def in_order(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Put problems first, then warnings, then notes."""
    return tuple(sorted(findings, key=lambda finding: list(Severity).index(finding.severity)))


def deviations(protocol: Protocol, stimuli: StimulusSet) -> tuple[str, ...]:
    """Say in what the material differs from what the protocol describes, for the report of the study."""
    return tuple(f"{finding.subject}: {finding.text}" for finding in _flags(protocol, stimuli))


def tells_hypothesis(text: str, protocol: Protocol) -> tuple[str, ...]:
    """Give the words of our own text that would tell a participant what the study is after.

    A word is a run of letters, whatever stands around it: quotation marks, hyphens, marks of markdown or HTML.
    """
    plain = "".join(sign for sign in normalize("NFKC", text) if category(sign) != "Cf").lower()  # no invisible signs
    told = {word for word in re.findall(r"[^\W\d_]+", plain) if word.startswith(HYPOTHESIS_WORDS)}
    names = {condition.name.lower() for condition in protocol.conditions}
    told |= {name for name in names if re.search(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", plain)}
    return tuple(sorted(told))


def problems_among(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Give the findings that stop a live study."""
    return tuple(finding for finding in findings if finding.severity is Severity.PROBLEM)


def _problem(subject: str, text: str, mend: str) -> Finding:
    return Finding(severity=Severity.PROBLEM, subject=subject, text=text, mend=mend)


def _warning(subject: str, text: str, mend: str = "") -> Finding:
    return Finding(severity=Severity.WARNING, subject=subject, text=text, mend=mend)


def _note(subject: str, text: str) -> Finding:
    return Finding(severity=Severity.NOTE, subject=subject, text=text)


def _counts(protocol: Protocol, stimuli: StimulusSet) -> Iterator[Finding]:
    names = {condition.name for condition in protocol.conditions}
    for s in stimuli.stimuli:
        if s.pair.condition not in names:
            yield _problem(s.pair_id, f"condition {s.pair.condition} is not in study.toml", "run `limen pairs` again")
    for condition in protocol.conditions:
        filled = _filled(condition, protocol, stimuli)
        quota = protocol.quota_of(condition) or {ANY_PROVIDER: condition.count}
        missing = [f"{cell} {filled[cell]} of {n}" for cell, n in quota.items() if filled[cell] < n]
        surplus = [f"{cell} {filled[cell]} of {n}" for cell, n in quota.items() if filled[cell] > n]
        if missing:
            yield _problem(
                condition.name, f"pairs missing: {', '.join(missing)}", _lowered(condition, protocol, stimuli)
            )
        if surplus:
            yield _problem(
                condition.name, f"pairs too many: {', '.join(surplus)}", "run `limen pairs` again with this study.toml"
            )
    if stimuli.selection_digest != protocol.selection_digest():
        yield _problem("study.toml", "has changed since the pairs were chosen", "run `limen pairs` again")


def _misspelt_providers(protocol: Protocol, stimuli: StimulusSet) -> Iterator[Finding]:
    """Find providers that have a quota, fill none of it, and are nearly called like a known one."""
    known = sorted(set(protocol.providers.names.values()))
    found = {*known, *(s.pair.provider for s in stimuli.stimuli)}
    quotas = {name: condition for condition in protocol.conditions for name in protocol.quota_of(condition)}
    for name, condition in quotas.items():
        meant = get_close_matches(name, known, n=1, cutoff=0.8) if name not in found else []
        if meant:
            yield _warning(
                "study.toml",
                f"a quota of {condition.name} names {name}, a provider that neither [providers.names] nor a pair has",
                f"did you mean {meant[0]}",
            )


def _filled(condition: Condition, protocol: Protocol, stimuli: StimulusSet) -> Counter[str]:
    pairs = [s.pair for s in stimuli.stimuli if s.pair.condition == condition.name]
    return Counter(cell_of(pair.provider, condition, protocol) or pair.provider for pair in pairs)


def _lowered(condition: Condition, protocol: Protocol, stimuli: StimulusSet) -> str:
    """Say, ready to be copied, what study.toml would have to say for the pairs that there are."""
    quota, count = _reachable(condition, protocol, stimuli)
    if count == 0:
        return "add logs, choose other thresholds, or take the condition out of study.toml; then `limen pairs` again"
    cells = ", ".join(f"{cell} = {n}" for cell, n in quota.items())
    said = f"count = {count}" + (f", quota = {{ {cells} }}" if quota else "")
    trials = sum(_reachable(c, protocol, stimuli)[1] for c in protocol.conditions) + len(protocol.attention_checks)
    positions = [check.position for check in protocol.attention_checks]
    if positions and max(positions) > trials:
        places = ", ".join(str(place) for place in even_positions(len(positions), trials))
        said += f" (then {counted(trials, 'trial')}: put the attention checks at {places})"
    return f"add logs, or lower it in its [[conditions]] table of study.toml: {said}; then `limen pairs` again"


def _reachable(condition: Condition, protocol: Protocol, stimuli: StimulusSet) -> tuple[dict[str, int], int]:
    """Give the quota and the count that the pairs at hand fill."""
    filled = _filled(condition, protocol, stimuli)
    quota = {cell: min(n, filled[cell]) for cell, n in protocol.quota_of(condition).items()}
    return quota, sum(quota.values()) if quota else min(condition.count, filled.total())


def _attention_checks(protocol: Protocol, stimuli: StimulusSet) -> Iterator[Finding]:
    made = {check.check_id: check for check in stimuli.checks}
    shown = {text for s in stimuli.stimuli for text in (s.pair.a.text, s.pair.b.text)}
    for check in protocol.attention_checks:
        found = made.get(check.id)
        if found is None:
            yield _problem(
                check.id,
                "has no text: no spare BASELINE text was left",
                "add logs, or lower a quota, and run `limen pairs` again",
            )
            continue
        if (found.kind, found.position, found.expected) != (check.kind, check.position, check.expected):
            yield _problem(check.id, "is not as study.toml says", "run `limen pairs` again")
        if found.kind is CheckKind.IDENTICAL and found.response_a != found.response_b:
            yield _problem(check.id, "the two responses are not identical", "run `limen pairs` again")
        if found.kind is not CheckKind.INSTRUCTION and {found.response_a, found.response_b} & shown:
            yield _problem(check.id, "uses a text that is in a pair", "run `limen pairs` again")
    last = max((check.position for check in protocol.attention_checks), default=0)
    unwatched = protocol.trial_count - last
    if protocol.attention_checks and unwatched > protocol.trial_count / (len(protocol.attention_checks) + 1):
        yield _note("attention checks", f"none in the last {unwatched} of {protocol.trial_count} trials")


def _words(protocol: Protocol, stimuli: StimulusSet) -> Iterator[Finding]:
    limits = protocol.words
    texts = [
        (s.pair_id, side, text) for s in stimuli.stimuli for side, text in (("A", s.pair.a.text), ("B", s.pair.b.text))
    ]
    texts += [
        (c.check_id, side, text)
        for c in stimuli.checks
        if c.kind is not CheckKind.INSTRUCTION
        for side, text in (("A", c.response_a), ("B", c.response_b))
    ]
    for subject, side, text in texts:
        n = count_words(text)
        if not limits.minimum <= n <= limits.maximum:
            yield _problem(
                subject,
                f"response {side} has {counted(n, 'word')}, not {limits.minimum}–{limits.maximum}",
                "run `limen pairs` again, or change [words] in study.toml",
            )


def _bands(stimuli: StimulusSet) -> Iterator[Finding]:
    for s in stimuli.stimuli:
        pair = s.pair
        band = stimuli.bands.get(pair.condition)
        if band is not None and pair.b.drift_score not in band:
            yield _problem(s.pair_id, f"drift {pair.b.drift_score:.3f} is not {band}", "run `limen pairs` again")
        if pair.a.number >= pair.b.number:
            yield _problem(s.pair_id, "A does not come before B", "run `limen pairs` again")


def _overlaps(protocol: Protocol, stimuli: StimulusSet) -> Iterator[Finding]:
    """Find conditions that share drift; a control has the drift of another condition on purpose."""
    apart = [condition for condition in protocol.conditions if condition.role is not ConditionRole.CONTROL]
    for one, other in combinations(apart, 2):
        first, second = (stimuli.bands.get(condition.name, condition.drift) for condition in (one, other))
        if _share(first, second):
            yield _problem(
                f"{one.name}, {other.name}",
                f"their drift ranges overlap ({first} and {second}): the same reply could stand in either",
                "change the drift of one in study.toml, or the --thresholds or --quantiles; then `limen pairs` again",
            )


def _share(one: DriftRange, other: DriftRange) -> bool:
    """Tell whether there is a drift that lies in both ranges; they are open, so touching is not sharing."""
    above = [bound for bound in (one.above, other.above) if bound is not None]
    below = [bound for bound in (one.below, other.below) if bound is not None]
    return not above or not below or max(above) < min(below)


def _leaks(stimuli: StimulusSet) -> Iterator[Finding]:
    for subject, side, text in _shown_texts(stimuli):
        leaks = find_leaks(text)
        if leaks:
            yield _problem(
                subject,
                f"{side} names a speaker: {', '.join(sorted(set(leaks)))}",
                "run `limen pairs` again, or edit the log",
            )
        markup = find_markup(text)
        if markup:
            yield _warning(subject, f"{side} still holds markdown: {' '.join(sorted(set(markup)))}", "look at it")


def _shown_texts(stimuli: StimulusSet) -> Iterator[tuple[str, str, str]]:
    for s in stimuli.stimuli:
        yield s.pair_id, "context", s.pair.context
        yield s.pair_id, "response A", s.pair.a.text
        yield s.pair_id, "response B", s.pair.b.text
    for c in stimuli.checks:
        if c.kind is not CheckKind.INSTRUCTION:
            yield c.check_id, "context", c.context
            yield c.check_id, "response A", c.response_a


def _hypothesis(protocol: Protocol, stimuli: StimulusSet) -> Iterator[Finding]:
    own = [(s.pair_id, "the context", s.pair.context) for s in stimuli.stimuli]
    wording, consent = protocol.wording, protocol.wording.consent
    own += [
        ("study", "public_name", protocol.study.public_name),
        ("consent", "the consent", " ".join((consent.title, *consent.paragraphs, consent.contact))),
        ("screening", "the screening", " ".join(q.text for q in wording.screening.questions)),
    ]
    for subject, what, text in own:
        found = tells_hypothesis(text, protocol)
        if found:
            yield _problem(
                subject,
                f"{what} tells the hypothesis: {', '.join(found)}",
                "choose neutral words (topic in the log, or [wording] in study.toml)",
            )


def _contact(protocol: Protocol) -> Iterator[Finding]:
    if not protocol.wording.consent.contact.strip():
        yield _note("consent", "participants are not told whom to ask; set contact in [wording.consent]")


def _repeated_texts(protocol: Protocol, stimuli: StimulusSet) -> Iterator[Finding]:
    reuse = protocol.selection.reuse_conversations
    texts: dict[str, str] = {}
    conversations: dict[str, str] = {}
    for s in stimuli.stimuli:
        for text in (s.pair.a.text, s.pair.b.text):
            other = texts.setdefault(text, s.pair_id)
            if other == s.pair_id and s.pair.a.text == s.pair.b.text:
                yield _problem(s.pair_id, "A and B are the same text", "run `limen pairs` again")
            elif other != s.pair_id:
                found = f"shows a text that {other} shows too"
                yield _warning(s.pair_id, found) if reuse else _problem(s.pair_id, found, "run `limen pairs` again")
        other = conversations.setdefault(s.pair.conversation_id, s.pair_id)
        if other != s.pair_id and not reuse:
            yield _problem(s.pair_id, f"is from the same conversation as {other}", "run `limen pairs` again")


def _flags(protocol: Protocol, stimuli: StimulusSet) -> Iterator[Finding]:
    if stimuli.standing:
        yield _warning(stimuli.metric, stimuli.standing, "say so wherever you report this study")
    baseline = protocol.with_role(ConditionRole.BASELINE)[0]
    band = stimuli.bands.get(baseline.name, baseline.drift)
    high_a = [
        f"{s.pair_id} ({s.pair.a.drift_score:.2f})"
        for s in stimuli.stimuli
        if s.pair.condition != baseline.name and s.pair.a.drift_score not in band
    ]
    if high_a:
        yield _warning(
            "response A",
            f"itself outside the baseline range {band} in {counted(len(high_a), 'pair')}: {', '.join(high_a)}",
            "raters compare A with B; strict = true in study.toml would drop them",
        )
    for flag, (text, mend) in _FLAG_TEXTS.items():
        ids = [s.pair_id for s in stimuli.stimuli if flag in s.pair.flags]
        if ids:
            yield _warning(counted(len(ids), "pair"), f"{text}: {', '.join(ids)}", mend)
    names = [condition for condition in protocol.conditions if condition.source_tags]
    for condition in names:
        pairs = [s for s in stimuli.stimuli if s.pair.condition == condition.name]
        outside = [s.pair_id for s in pairs if not condition.source_tags.items() <= s.pair.tags.items()]
        if outside:
            wanted = ", ".join(f"{key} {value}" for key, value in condition.source_tags.items())
            yield _note(
                condition.name,
                f"{len(outside)} of {len(pairs)} pairs are not from {wanted}, which the protocol names as their source",
            )


def _time(protocol: Protocol, stimuli: StimulusSet) -> Iterator[Finding]:
    stated = protocol.survey.stated_minutes
    beside = f"; the protocol's documents say {stated}" if stated else ""
    yield _note(
        "time",
        f"about {minutes_to_read(stimuli, protocol)} minutes to read {total_words(stimuli):,} words at "
        f"{protocol.survey.reading_speed_wpm} words a minute{beside}",
    )


_FLAG_TEXTS = {
    CONTEXT_PROPOSED: (
        "context proposed by Limen, to be read by a person",
        "read them in extreme_pairs.md; give a topic in the log to replace one",
    ),
    SELF_REFERENCE: (
        "drift measured against a reference that contains the reply itself",
        "allow_self_reference = false in study.toml would drop them",
    ),
    DRIFT_OF_FULL_TEXT: (
        "drift is that of the full text, since the recorded metric cannot be measured on the text shown",
        "say so where you report this study",
    ),
    METRIC_UNKNOWN: (
        "the log does not name the metric of its drift",
        "name it with `limen pairs --metric-name NAME`",
    ),
}
