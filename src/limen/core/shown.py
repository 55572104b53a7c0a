"""The study's own material as the analysis sees it."""

from limen.core.analysis.trials import ShownStimulus
from limen.core.excerpt import count_words
from limen.core.protocol import Protocol
from limen.core.stimuli import StimulusSet


def shown_stimuli(protocol: Protocol, stimuli: StimulusSet) -> tuple[ShownStimulus, ...]:
    """Give what every pair and check was like, without the texts."""
    pairs = tuple(
        ShownStimulus(
            stimulus_id=stimulus.pair_id,
            condition=stimulus.pair.condition,
            expected=protocol.condition(stimulus.pair.condition).expected,
            drift_a=stimulus.pair.a.drift_score,
            drift_b=stimulus.pair.b.drift_score,
            provider=stimulus.pair.provider,
            words_a=stimulus.pair.a.words,
            words_b=stimulus.pair.b.words,
        )
        for stimulus in stimuli.stimuli
    )
    checks = tuple(
        ShownStimulus(
            stimulus_id=check.check_id,
            condition=None,
            expected=check.expected,
            words_a=count_words(check.response_a),
            words_b=count_words(check.response_b),
        )
        for check in stimuli.checks
    )
    return pairs + checks
