"""What a text is about, by its content words: a neutral context to propose, and how far two texts are apart."""

import re
from collections import Counter

from limen.core.drift import cosine_distance
from limen.core.wording import HYPOTHESIS_WORDS


def content_words(text: str) -> Counter[str]:
    """Count the words that carry a topic: no function words, plural and singular as one."""
    words = (_singular(word) for word in _WORD.findall(text.lower().replace("’", "'")))
    return Counter(word for word in words if word not in _FUNCTION_WORDS)


def topic_shift(one: Counter[str], other: Counter[str]) -> float:
    """Give the cosine distance of two texts' content words: 0 same words, 1 none in common."""
    return cosine_distance(one, other)


def propose_context(first_user_text: str, response_a: str) -> str:
    """Propose a neutral sentence from the first user turn and Response A only, for a person to review.

    The words said most often are named, those first that are used as nouns: "the garden grows", not "a garden shed".
    """
    text = f"{first_user_text}\n{response_a}"
    nouns = _nouns(text)
    chosen: list[str] = []
    for word, count in sorted(content_words(text).items(), key=lambda item: (-nouns[item[0]], -item[1], item[0])):
        tells = len(word) > 3 and not word.startswith(HYPOTHESIS_WORDS) and word not in _UNTELLING
        kin = any(word[:5] == other[:5] for other in chosen)
        if count and tells and not kin and not word.endswith("ly"):
            chosen.append(word)
    words = chosen[:3]
    if not words:
        return "A conversation with an AI system."
    listed = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
    return f"A discussion about {listed}."


def _nouns(text: str) -> Counter[str]:
    """Count the words that follow a word such as "the" or "of" and are followed by none that belongs to them."""
    found: Counter[str] = Counter()
    for line in _CLAUSE_END.split(text.lower().replace("’", "'")):
        words = [*_WORD.findall(line), "and"]
        for before, word, after in zip(words, words[1:], words[2:], strict=False):
            if before in _BEFORE_A_NOUN and after in _FUNCTION_WORDS:
                found[_singular(word)] += 1
    return found


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_CLAUSE_END = re.compile(r"[.,;:!?()\n–—\"“”]|\s-\s")
_BEFORE_A_NOUN = frozenset(
    "a an the my your our their his her its this that these those of about for between".split()  # noqa: SIM905
)
_FUNCTION_WORDS = frozenset(
    """
    a about above across actually after again against all almost along already also although always am among an
    and another any anything are aren't around as ask at away back be became because become been before began
    begin being below between both but by came can can't cannot come could couldn't did didn't do doe does
    doesn't doing don't done down during each either else enough even ever every everything few find first for
    found from further gave get give given go goes going gone good got had has hasn't have haven't having he
    hence her here hers herself him himself his how however i i'd i'll i'm i've if in indeed instead into is
    isn't it it'd it'll it's its itself just keep kind know last later least les less let let's like likely
    little long look lot made make many may maybe me mean might mine more most much must my myself near need
    never new next no none nor not nothing now of off often on once one only onto or other our ours ourselves
    out over own part perhaps put quite rather really right said same saw say see seem seen several shall she
    should since so some someone something sometime sometimes soon still such sure take tell than that that's
    the their theirs them themselves then there there's therefore these they they'd they'll they're they've
    thing think thi this those though thought three through thu thus time to together too took toward try two
    under until up upon us use used very wa want was way we we'd we'll we're we've well went were weren't what
    what's whatever when where whether which while who whole whom whose why will with within without won't would
    wouldn't yes yet you you'd you'll you're you've your yours yourself ha hi
    """.split()  # noqa: SIM905 - a list this long reads better as text
)
_UNTELLING = frozenset(
    """answer question response reply conversation please thank people person point example case word understand
    feel believe sense particular different important certain specific exchange human attorney witness tribunal
    counsel""".split()  # noqa: SIM905
)
