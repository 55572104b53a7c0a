"""Which stimulus a participant sees at which trial: drawn once, here, and never in the page."""

from dataclasses import dataclass

from limen.core.protocol import Protocol
from limen.core.randomness import Stream
from limen.core.stimuli import StimulusSet


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPlan:
    """The ids of the stimuli in the order of the trials; trial n is `stimulus_ids[n - 1]`."""

    stimulus_ids: tuple[str, ...]
    moved_checks: bool = False  # an incomplete set was too short for the checks' positions

    @property
    def trial_count(self) -> int:
        """How many trials the participant sees."""
        return len(self.stimulus_ids)


def plan_session(protocol: Protocol, stimuli: StimulusSet, stream_name: str) -> SessionPlan:
    """Draw an order of all pairs, every order equally likely, with the attention checks at their positions.

    `stream_name` names the stream of chance, such as "order/17" for participant 17. In an incomplete set,
    as a pilot may have, a check whose position lies past the end moves to the last places.
    """
    stream = Stream(protocol.study.seed, stream_name)
    pairs = list(stream.shuffled(stimulus.pair_id for stimulus in stimuli.stimuli))
    checks = sorted(stimuli.checks, key=lambda check: check.position)
    total = len(pairs) + len(checks)
    places = {}
    moved = False
    for k, check in enumerate(checks):
        last_place = total - (len(checks) - 1 - k)
        place = min(check.position, last_place)
        moved |= place != check.position
        places[place] = check.check_id
    rest = iter(pairs)
    ids = tuple(places.get(number) or next(rest) for number in range(1, total + 1))
    return SessionPlan(stimulus_ids=ids, moved_checks=moved)
