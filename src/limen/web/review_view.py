"""What the review pages show, worked out before it is put into HTML."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from limen.core.audit import Finding, audit
from limen.core.changes import Change, ChangeKind, word_changes
from limen.core.excerpt import count_words
from limen.core.flags import CONTEXT_PROPOSED
from limen.core.pair import Pair, ShownReply
from limen.core.review import LONGEST_CONTEXT, LONGEST_REASON, Action, Decision, Standing, shown_digest
from limen.core.stimuli import Stimulus
from limen.core.wording import TrialWording
from limen.workflow.review import ReviewedStudy

SAID = {
    Action.REPLACE.value: "Replaced by the next best candidate. Read it as if for the first time.",
    Action.CONTEXT.value: "The context is changed. Read the pair once more, then approve it.",
}
"""What a page says after a decision that keeps the reader on the pair."""

_LONG_REMOVAL, _LONG_SAME = 30, 30
_SEVERAL_WORDS = re.compile(r"\s*(?:\S+\s+){8}")
_SEVERAL_LAST_WORDS = re.compile(r"(?:\s+\S+){8}\s*\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A pair in the list."""

    pair_id: str
    condition: str
    provider: str
    standing: Standing
    context: str
    reason: str
    flagged: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """All pairs and how far the review is."""

    study: str
    slots: tuple[Slot, ...]
    decisions: tuple[Decision, ...]  # the latest first

    @property
    def groups(self) -> dict[str, list[Slot]]:
        """The pairs by condition."""
        groups: dict[str, list[Slot]] = {}
        for slot in self.slots:
            groups.setdefault(slot.condition, []).append(slot)
        return groups

    def count(self, standing: str) -> int:
        """Count the pairs that stand so."""
        return sum(slot.standing == standing for slot in self.slots)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of a text in the diff; a long one that was left out is folded away, one that stayed is cut short."""

    kind: ChangeKind
    text: str
    folded: int  # how many words, where it is folded


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A response as raters see it, and what was changed in it."""

    name: str
    label: str
    text: str
    words: int
    pieces: tuple[Piece, ...]  # empty where nothing was changed
    taken_out: tuple[str, ...]
    excerpted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PairView:
    """Everything on the page of a pair."""

    overview: Overview
    slot: Slot
    shown: str
    wording: TrialWording
    a: Side
    b: Side
    context_proposed: bool
    facts: tuple[tuple[str, str], ...]
    findings: tuple[Finding, ...]
    rivals: int
    place: int
    before: str
    after: str
    longest_reason: int = LONGEST_REASON
    longest_context: int = LONGEST_CONTEXT


def overview_of(study: ReviewedStudy) -> Overview:
    """Tell how far the review is."""
    return Overview(
        study=study.protocol.study.protocol,
        slots=tuple(_slot(study, stimulus) for stimulus in study.stimuli.stimuli),
        decisions=tuple(reversed(study.review.decisions)),
    )


def pair_view(study: ReviewedStudy, stimulus: Stimulus) -> PairView:
    """Give the page of a pair."""
    ids = [s.pair_id for s in study.stimuli.stimuli]
    place = ids.index(stimulus.pair_id)
    pair, wording = stimulus.pair, study.protocol.wording.trial
    return PairView(
        overview=overview_of(study),
        slot=_slot(study, stimulus),
        shown=shown_digest(pair),
        wording=wording,
        a=_side("A", wording.response_a_label, pair.a),
        b=_side("B", wording.response_b_label, pair.b),
        context_proposed=CONTEXT_PROPOSED in pair.flags,
        facts=tuple(_facts(pair)),
        findings=tuple(f for f in audit(study.protocol, study.stimuli) if f.subject == stimulus.pair_id),
        rivals=len({rival.conversation_id for rival in study.rivals(stimulus)}),
        place=place + 1,
        before=ids[place - 1],
        after=ids[(place + 1) % len(ids)],
    )


def _slot(study: ReviewedStudy, stimulus: Stimulus) -> Slot:
    pair = stimulus.pair
    return Slot(
        pair_id=stimulus.pair_id,
        condition=pair.condition,
        provider=pair.provider,
        standing=study.review.standing_of(stimulus),
        context=pair.context,
        reason=study.review.reason_for(stimulus),
        flagged=bool(pair.flags),
    )


def _side(name: str, label: str, reply: ShownReply) -> Side:
    changes = word_changes(reply.original, reply.text)
    pieces = tuple(_piece(change, k > 0, k < len(changes) - 1) for k, change in enumerate(changes))
    changed = any(piece.kind is not ChangeKind.SAME for piece in pieces)
    return Side(
        name=name,
        label=label,
        text=reply.text,
        words=reply.words,
        pieces=pieces if changed else (),
        taken_out=tuple(f"{scrub.kind.replace('_', ' ')}: {scrub.found}" for scrub in reply.scrubs),
        excerpted=reply.excerpted,
    )


def _piece(change: Change, after_change: bool, before_change: bool) -> Piece:
    words = count_words(change.text)
    if change.kind is ChangeKind.SAME and words > _LONG_SAME:
        head = _SEVERAL_WORDS.match(change.text) if after_change else None
        tail = _SEVERAL_LAST_WORDS.search(change.text) if before_change else None
        text = f"{head.group() if head else ''} … {tail.group() if tail else ''}"
        return Piece(kind=change.kind, text=text, folded=0)
    folded = words if change.kind is ChangeKind.REMOVED and words > _LONG_REMOVAL else 0
    return Piece(kind=change.kind, text=change.text, folded=folded)


def _facts(pair: Pair) -> Iterator[tuple[str, str]]:
    yield "provider and model", f"{pair.provider}, {pair.model or 'unknown'}"
    yield "conversation", pair.conversation_id
    yield "replies", f"{pair.a.number} and {pair.b.number}"
    yield f"drift ({pair.drift_metric})", f"A {pair.a.drift_score:.3f}, B {pair.b.drift_score:.3f}"
    if (pair.a.drift_full_text, pair.b.drift_full_text) != (pair.a.drift_score, pair.b.drift_score):
        yield "drift of the full texts", f"A {pair.a.drift_full_text:.3f}, B {pair.b.drift_full_text:.3f}"
    if pair.drift_a_to_b:
        yield "distance from A to B", ", ".join(f"{name} {value:.3f}" for name, value in pair.drift_a_to_b.items())
    yield "topic shift from A to B", f"{pair.topic_shift:.3f} (0: the same content words, 1: none in common)"
    if pair.tags:
        yield "tags", ", ".join(f"{key}={value}" for key, value in pair.tags.items())
    if pair.flags:
        yield "flags", ", ".join(pair.flags)
