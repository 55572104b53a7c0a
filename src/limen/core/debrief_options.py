"""Which answers to the optional questions after the last trial there are."""

from limen.core.sessions import DebriefAnswer, StrategyAnswer
from limen.core.wording import DebriefWording


def misfit(answer: DebriefAnswer, wording: DebriefWording) -> str | None:
    """Say what is wrong with an answer to an optional question, or None: it is one that the page can give."""
    if isinstance(answer, StrategyAnswer):
        chosen = answer.options
        fits = all(option < len(wording.strategy.options) for option in chosen)
        answered = bool(chosen or answer.other.strip())
    else:
        asked = wording.demographics
        given = ((answer.age, asked.age_options), (answer.use, asked.use_options))
        chosen = ()
        fits = all(option is None or option < len(options) for option, options in given)
        answered = any(option is not None for option, _ in given)
    if not fits:
        return "There is no such option."
    if len(set(chosen)) < len(chosen):
        return "An option is chosen more than once."
    return "It is skipped and answered at once." if answer.skipped and answered else None
