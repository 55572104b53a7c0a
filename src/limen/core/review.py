"""What a researcher decided about the pairs: a list of decisions that only grows, and what follows from it."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from unicodedata import category

from limen.core.audit import Finding, Severity, tells_hypothesis
from limen.core.flags import CONTEXT_PROPOSED
from limen.core.pair import Pair
from limen.core.protocol import Protocol
from limen.core.scrubbing import find_leaks
from limen.core.stimuli import CheckStimulus, Stimulus, StimulusSet

CONTEXT_EDITED = "context_edited"
LONGEST_CONTEXT = 300
LONGEST_REASON = 500


class Action(StrEnum):
    """What can be decided about a pair."""

    APPROVE = "approve"
    REJECT = "reject"
    REPLACE = "replace"
    CONTEXT = "context"


class Standing(StrEnum):
    """How a pair stands as it is shown now."""

    UNREVIEWED = "unreviewed"
    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One decision. `shown` tells which texts and context it was made on; a changed pair has to be read again."""

    at: datetime
    action: Action
    pair_id: str
    conversation_id: str
    shown: str
    reason: str = ""
    replaced_by: str | None = None  # the conversation that took the slot
    context_before: str | None = None
    context_after: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """All decisions, the oldest first."""

    decisions: tuple[Decision, ...] = ()

    def standing_of(self, stimulus: Stimulus) -> Standing:
        """Tell how a pair stands: by the last word on exactly what it shows."""
        shown = shown_digest(stimulus.pair)
        for decision in reversed(self.decisions):
            if decision.shown == shown and decision.action in (Action.APPROVE, Action.REJECT):
                return Standing.APPROVED if decision.action is Action.APPROVE else Standing.REJECTED
        return Standing.UNREVIEWED

    def reason_for(self, stimulus: Stimulus) -> str:
        """Give the reason of the last word on a pair; empty where there is none."""
        shown = shown_digest(stimulus.pair)
        said = [d.reason for d in self.decisions if d.shown == shown and d.action in (Action.APPROVE, Action.REJECT)]
        return said[-1] if said else ""

    @property
    def rejected_conversations(self) -> frozenset[str]:
        """Conversations that a person looked at and rejected, unless the last word on them was to approve."""
        last = {d.conversation_id: d.action for d in self.decisions if d.action is not Action.CONTEXT}
        return frozenset(name for name, action in last.items() if action is not Action.APPROVE)

    @property
    def contexts(self) -> dict[str, str]:
        """The contexts that a person wrote, by conversation."""
        return {d.conversation_id: d.context_after for d in self.decisions if d.context_after is not None}

    def with_decision(self, decision: Decision) -> "Review":
        """Add a decision."""
        return replace(self, decisions=(*self.decisions, decision))


def shown_digest(pair: Pair) -> str:
    """Give a hash of what a rater would read."""
    return hashlib.sha256(json.dumps([pair.context, pair.a.text, pair.b.text]).encode()).hexdigest()


def with_context(pair: Pair, context: str) -> Pair:
    """Give a pair the context that a person wrote."""
    flags = tuple(flag for flag in pair.flags if flag not in (CONTEXT_PROPOSED, CONTEXT_EDITED))
    return replace(pair, context=context, flags=(*flags, CONTEXT_EDITED))


def with_contexts(stimuli: StimulusSet, review: Review) -> StimulusSet:
    """Put the contexts that a person wrote into a set that was chosen anew."""
    written = review.contexts

    def pair(stimulus: Stimulus) -> Stimulus:
        context = written.get(stimulus.pair.conversation_id)
        return stimulus if context is None else replace(stimulus, pair=with_context(stimulus.pair, context))

    def check(stimulus: CheckStimulus) -> CheckStimulus:
        context = written.get(stimulus.source or "")
        return stimulus if context is None else replace(stimulus, context=context)

    return replace(
        stimuli, stimuli=tuple(pair(s) for s in stimuli.stimuli), checks=tuple(check(c) for c in stimuli.checks)
    )


def as_read(stimuli: StimulusSet, review: Review) -> StimulusSet:
    """Leave out of the flags that a context is a proposal, where a person has read and approved it."""

    def read(stimulus: Stimulus) -> Stimulus:
        if review.standing_of(stimulus) is not Standing.APPROVED:
            return stimulus
        flags = tuple(flag for flag in stimulus.pair.flags if flag != CONTEXT_PROPOSED)
        return replace(stimulus, pair=replace(stimulus.pair, flags=flags))

    return replace(stimuli, stimuli=tuple(read(s) for s in stimuli.stimuli))


def holds_controls(text: str) -> bool:
    """Tell whether a text holds what nobody can see and files choke on: control characters but line ends and tabs."""
    return any(category(one) in ("Cc", "Cs") and one not in "\n\r\t" for one in text)


def why_not_context(context: str, protocol: Protocol) -> str | None:
    """Say why a context cannot be taken; None when it can."""
    words = context.split()
    if not words:
        return "a context is a sentence; it cannot be empty"
    if len(context) > LONGEST_CONTEXT:
        return f"a context is one sentence of at most {LONGEST_CONTEXT} characters; this has {len(context)}"
    if holds_controls(context):
        return "it holds characters that cannot be shown"
    leaks = find_leaks(context)
    if leaks:
        return f"it names a speaker: {', '.join(sorted(set(leaks)))}"
    told = tells_hypothesis(context, protocol)
    if told:
        return f"it tells the hypothesis: {', '.join(told)}"
    return None


def review_findings(stimuli: StimulusSet, review: Review) -> Iterator[Finding]:
    """Say which pairs were rejected and how many nobody has looked at."""
    standings = [(s, review.standing_of(s)) for s in stimuli.stimuli]
    for stimulus, standing in standings:
        if standing is Standing.REJECTED:
            yield Finding(
                severity=Severity.PROBLEM,
                subject=stimulus.pair_id,
                text=f"rejected in review: {review.reason_for(stimulus)}",
                mend="replace it in `limen review`, or run `limen pairs` again, which leaves its conversation out",
            )
    unread = [s.pair_id for s, standing in standings if standing is Standing.UNREVIEWED]
    if unread:
        listed = "" if len(unread) == len(standings) else f": {', '.join(unread)}"
        yield Finding(
            severity=Severity.NOTE,
            subject="review",
            text=f"{len(unread)} of {len(standings)} pairs unreviewed{listed}",
            mend="read them in the browser with `limen review`",
        )
