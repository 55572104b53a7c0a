"""Going through the pairs before raters do: approve, reject, replace, write a better context."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol as Port

from limen.core.pair import Pair
from limen.core.protocol import ConditionRole, Protocol
from limen.core.replacement import rivals_for
from limen.core.review import (
    LONGEST_REASON,
    Action,
    Decision,
    Review,
    holds_controls,
    shown_digest,
    why_not_context,
    with_context,
)
from limen.core.stimuli import Stimulus, StimulusSet
from limen.workflow.ports import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedStudy:
    """A study's pairs, what was decided about them, and what can take their slots."""

    protocol: Protocol
    stimuli: StimulusSet
    review: Review
    candidates: tuple[Pair, ...]

    def stimulus(self, pair_id: str) -> Stimulus | None:
        """Give the pair of this id."""
        return next((s for s in self.stimuli.stimuli if s.pair_id == pair_id), None)

    def rivals(self, stimulus: Stimulus) -> tuple[Pair, ...]:
        """Give the pairs that could take a slot, the best first."""
        rejected = self.review.rejected_conversations
        return rivals_for(stimulus, self.stimuli, self.candidates, self.protocol, rejected)


class ReviewShelf(Port):
    """Where the pairs and the decisions about them are kept."""

    def read(self) -> ReviewedStudy:
        """Give everything as it is now."""
        ...

    def write_review(self, review: Review) -> None:
        """Keep the decisions."""
        ...

    def write_pairs(self, study: ReviewedStudy) -> None:
        """Keep pairs, candidates and decisions that changed together."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a researcher asks for. `shown` tells which version of the pair was in front of them."""

    action: Action
    pair_id: str
    shown: str
    reason: str = ""
    context: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A wish that was not fulfilled, and why. `conflict`: not for what was asked, but for how things are."""

    reason: str
    conflict: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewDesk:
    """What can be done in a review. `answered` tells whether live sessions exist: then pairs stay as they are."""

    shelf: ReviewShelf
    clock: Clock
    answered: Callable[[], bool]

    def decide(self, wish: Wish) -> Decision | Refused:
        """Fulfil a wish and keep it, or say why not; nothing is half done."""
        study = self.shelf.read()
        stimulus = study.stimulus(wish.pair_id)
        if stimulus is None:
            return Refused(reason=f"there is no pair {wish.pair_id} any more")
        refused = self._why_not(wish, stimulus)
        if refused:
            return refused
        reason = " ".join(wish.reason.split())
        if wish.action is Action.REPLACE:
            return self._replace(study, stimulus, reason)
        if wish.action is Action.CONTEXT:
            return self._edit_context(study, stimulus, wish.context)
        decision = self._decision(wish.action, stimulus, reason)
        self.shelf.write_review(study.review.with_decision(decision))
        return decision

    def _why_not(self, wish: Wish, stimulus: Stimulus) -> Refused | None:
        if wish.shown != shown_digest(stimulus.pair):
            return Refused(reason=f"{wish.pair_id} has changed since this page was made; look at it again")
        if len(wish.reason) > LONGEST_REASON:
            return Refused(reason=f"a reason has at most {LONGEST_REASON} characters", conflict=False)
        if holds_controls(wish.reason):
            return Refused(reason="a reason is text; this holds characters that cannot be shown", conflict=False)
        if wish.action in (Action.REJECT, Action.REPLACE) and not wish.reason.strip():
            return Refused(reason="a reason is needed; it is kept with the decision", conflict=False)
        if wish.action is not Action.APPROVE and self.answered():
            return Refused(
                reason="live sessions exist: pairs cannot change any more, or participants would judge other pairs"
            )
        return None

    def _replace(self, study: ReviewedStudy, stimulus: Stimulus, reason: str) -> Decision | Refused:
        rivals = study.rivals(stimulus)
        if not rivals:
            return Refused(
                reason=f"no other candidate is left for {stimulus.pair_id} (same condition, same provider); "
                "reject it, and add logs"
            )
        rival = rivals[0]
        written = study.review.contexts.get(rival.conversation_id)
        new = rival if written is None else with_context(rival, written)
        decision = replace(self._decision(Action.REPLACE, stimulus, reason), replaced_by=rival.conversation_id)
        left = tuple(pair for pair in study.candidates if pair != rival)
        self.shelf.write_pairs(
            replace(
                _with_pair(study, stimulus, new),
                review=study.review.with_decision(decision),
                candidates=(*left, stimulus.pair),
            )
        )
        return decision

    def _edit_context(self, study: ReviewedStudy, stimulus: Stimulus, context: str) -> Decision | Refused:
        context = " ".join(context.split())
        problem = why_not_context(context, study.protocol)
        if problem:
            return Refused(reason=f"this context cannot be taken: {problem}", conflict=False)
        before = stimulus.pair.context
        if context == before:
            return Refused(reason="that is the context as it is; approve the pair if it will do", conflict=False)
        decision = replace(self._decision(Action.CONTEXT, stimulus, ""), context_before=before, context_after=context)
        changed = _with_pair(study, stimulus, with_context(stimulus.pair, context))
        self.shelf.write_pairs(replace(changed, review=study.review.with_decision(decision)))
        return decision

    def _decision(self, action: Action, stimulus: Stimulus, reason: str) -> Decision:
        return Decision(
            at=self.clock.now(),
            action=action,
            pair_id=stimulus.pair_id,
            conversation_id=stimulus.pair.conversation_id,
            shown=shown_digest(stimulus.pair),
            reason=reason,
        )


def _with_pair(study: ReviewedStudy, stimulus: Stimulus, pair: Pair) -> ReviewedStudy:
    stimuli = tuple(replace(s, pair=pair) if s.pair_id == stimulus.pair_id else s for s in study.stimuli.stimuli)
    baseline = study.protocol.with_role(ConditionRole.BASELINE)[0]
    band = study.stimuli.bands.get(baseline.name, baseline.drift)
    strict = sum(s.pair.condition != baseline.name and s.pair.a.drift_score in band for s in stimuli)
    return replace(study, stimuli=replace(study.stimuli, stimuli=stimuli, strict_count=strict))
