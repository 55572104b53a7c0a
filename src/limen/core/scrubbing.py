"""What would give a speaker away is taken out of a text, the same way on both sides, and written down.

Vendor and model names, self-naming, think blocks, e-mail addresses and URLs go; markdown becomes plain
text. Limen shows the result; the original is kept beside it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class ScrubKind(StrEnum):
    """What was taken out."""

    THINKING = "thinking"
    EMAIL = "email"
    URL = "url"
    MODEL = "model"
    VENDOR = "vendor"
    SELF_NAMING = "self_naming"
    SPEAKER_LABEL = "speaker_label"


PLACEHOLDERS = {
    ScrubKind.THINKING: "",
    ScrubKind.EMAIL: "[e-mail]",
    ScrubKind.URL: "[link]",
    ScrubKind.MODEL: "[AI]",
    ScrubKind.VENDOR: "[company]",
    ScrubKind.SELF_NAMING: "[AI]",
    ScrubKind.SPEAKER_LABEL: "",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scrub:
    """One thing taken out of a text, and what stands there now."""

    kind: ScrubKind
    found: str
    shown: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScrubbedText:
    """A text as it may be shown."""

    text: str
    scrubs: tuple[Scrub, ...]


def scrub(text: str) -> ScrubbedText:
    """Give the text as plain text without what names its speaker. Scrubbing twice changes nothing more."""
    scrubs: list[Scrub] = []
    while (cleaner := _scrub_once(text, scrubs)) != text:  # what is taken out can join what stood around it
        text = cleaner
    return ScrubbedText(text=text, scrubs=tuple(scrubs))


def find_leaks(text: str) -> tuple[str, ...]:
    """Give what in a shown text still names a speaker; empty when nothing does."""
    small = _in_small_letters(text)
    rules = [rule for rule in (*_RULES_BEFORE_PLAIN, *_RULES_AFTER_PLAIN) if rule.may_apply(small)]
    return tuple(match.group().strip() for rule in rules for match in rule.pattern.finditer(text))


def find_markup(text: str) -> tuple[str, ...]:
    """Give the markdown that still stands in a shown text; empty when none does."""
    return tuple(match.group().strip() for match in _MARKUP.finditer(text))


def plain_text(text: str) -> str:
    """Give markdown as plain text: the words stay, the marks go, list items keep a bullet or their number."""
    text = _LINE_ENDS.sub("\n", text)
    while (plainer := _one_layer_plainer(text)) != text:  # marks stand within marks
        text = plainer
    return text


def _one_layer_plainer(text: str) -> str:
    lines = [_plain_line(line) for line in _CODE_FENCE.sub("", text).split("\n")]
    return _tidy("\n".join(line for line in lines if line is not None))


def _scrub_once(text: str, scrubs: list[Scrub]) -> str:
    for rule in _RULES_BEFORE_PLAIN:
        text = _replace(text, rule, scrubs)
    text = plain_text(text)
    for rule in _RULES_AFTER_PLAIN:
        text = _replace(text, rule, scrubs)
    return _tidy(text)


def _plain_line(line: str) -> str | None:
    if not _MARKS.search(line):
        return line.rstrip()
    if _RULE_LINE.fullmatch(line) or _TABLE_RULE.fullmatch(line):
        return None
    line = _HEADING.sub("", line)
    line = _QUOTE.sub("", line)
    line = _BULLET.sub("• ", line)
    if line.lstrip().startswith("|") and line.rstrip().endswith("|"):
        line = " – ".join(cell.strip() for cell in line.strip().strip("|").split("|"))
    line = _STAGE_DIRECTION.sub(lambda m: f"{m[1]}({m[2] or m[3]})", line)
    for pattern, shown in _INLINE:
        line = pattern.sub(shown, line)
    return line.rstrip()


def _replace(text: str, rule: "_Rule", scrubs: list[Scrub]) -> str:
    def note(match: re.Match[str]) -> str:
        shown = _SHOWN.get(rule.kind, _placeholder)(match, rule.kind)
        scrubs.append(Scrub(kind=rule.kind, found=match.group().strip(), shown=shown.strip()))
        return shown

    return rule.pattern.sub(note, text) if rule.may_apply(_in_small_letters(text)) else text


def _placeholder(_: re.Match[str], kind: ScrubKind) -> str:
    return PLACEHOLDERS[kind]


def _after_the_phrase(match: re.Match[str], kind: ScrubKind) -> str:
    return match["phrase"] + PLACEHOLDERS[kind]


def _tidy(text: str) -> str:
    text = re.sub(r"[ \t\u00a0]+", " ", text)
    text = re.sub(r" ?\n ?", "\n", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


class _Rule(NamedTuple):
    """A pattern, and words of which one stands, in small letters, in whatever it finds: most texts have none."""

    kind: ScrubKind
    regex: str
    words: tuple[str, ...] = ()
    flags: re.RegexFlag = re.NOFLAG

    @property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.regex, self.flags)  # when a text first needs it, which is seldom; `re` keeps it

    def may_apply(self, small: str | None) -> bool:
        return small is None or not self.words or any(word in small for word in self.words)


def _in_small_letters(text: str) -> str | None:
    """Give a text in small letters; None where a pattern that ignores case takes other letters for ours."""
    return None if any(odd in text for odd in _ODD_LETTERS) else text.lower()


_ODD_LETTERS = "ſıİ\u212a"  # s, i, i and k to a pattern that ignores case, but not to str.lower

_SHOWN: dict[ScrubKind, Callable[[re.Match[str], ScrubKind], str]] = {ScrubKind.SELF_NAMING: _after_the_phrase}

_THINKING = r"<(think|thinking|thought|reasoning)>.*?(?:</\1>|\Z)"  # closed, or never closed
_THINKING_FROM_BEFORE = r"\A.*</(?:think|thinking|thought|reasoning)>"
_EMAIL = r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
_URL = r"(?:https?://|www\.)[^\s<>\"')\]]*[^\s<>\"')\].,;:!?]"
_VERSION = r"(?:[\s-]?v?\d+(?:\.\d+)*[a-z]?\b)?"
_NUMBERED = r"\d(?:[\w.]*\w)?"  # a full stop behind it ends the sentence
_MODEL = (
    r"(?<![\w@/.\[])(?:"
    r"(?i:chat-?gpt|gpt)(?:[\s-]?(?:\d+(?:\.\d+)?o?|o\d))?(?:[\s-]?(?:mini|turbo|nano|pro))?"
    rf"|(?i:deepseek|qwen|mixtral|nemotron)(?:[\s-]?[\w.]*?{_NUMBERED})?"
    rf"|(?:Phi|GLM|Yi)-{_NUMBERED}|[Gg]emma[\s-]?{_NUMBERED}|Perplexity AI|Bing Chat|CLAUDE|GEMINI|GROK"
    rf"|Claude(?!\s+(?:Monet|Debussy|Shannon|Lorrain|Bernard|Rains))(?:{_VERSION}[\s-]?(?:Opus|Sonnet|Haiku|Instant))?{_VERSION}"
    r"|o[134]-(?:mini|preview|pro)"
    rf"|Gemini{_VERSION}(?:[\s-](?:Pro|Flash|Ultra|Nano))?|PaLM{_VERSION}|LaMDA"
    r"|(?:Google |(?<=\bam )|(?<=\bas )|(?<=\bAs ))Bard|(?<=\b[Aa]s )(?:Llama|Gemma)(?=, I\b)"
    rf"|Grok{_VERSION}(?:-mini)?"
    r"|(?:Meta[\s-])?Ll?a[mM][aA](?:[\s-]?\d+(?:\.\d+)?)(?:-\d+[bB])?|LLaMA"
    rf"|Mi[sx]tral(?:[\s-]?\d+x?\d*[bB])?(?:[\s-](?:Large|Small|Medium|Nemo))?"
    rf"|Kimi(?:[\s-]K\d)?|Copilot|Cohere Command(?: R\+?)?"
    r")(?!\w)"
)
_VENDOR = (
    r"(?<![\w@/.\[])(?:(?i:anthropic|open ?ai|deepmind|nvidia|microsoft)|GOOGLE|Google(?:[\s-]DeepMind| AI| Brain)?"
    r"|xAI|x\.ai|Meta AI|Mistral AI"
    r"|Alibaba(?: Cloud)?|Moonshot AI|Together AI|Cohere|(?<=\bby )Meta|(?<=\bfrom )Meta)(?!\w)"
)
_SELF_NAMING = (
    r"(?P<phrase>\b(?:[Mm]y name is|[Mm]y name['’]s|(?:[Yy]ou|[Pp]eople|[Uu]sers) (?:can|may) call me|"
    r"I(?:['’]m| am) called|I go by|[Cc]all me)\s+)(?P<name>[A-Z][\w-]+(?:\s[A-Z][\w-]+)?)"
)
_NO_OTHER_WORD = r"(?i:claude|gemma|grok|kimi|lamda)|B(?i:ard)|L(?i:lama)"
_OTHER_WORD = r"bard|llama|gemini|copilot|mistral"  # ordinary words, unless the sentence goes on as after a name
_GOES_ON = r"(?=\s*(?:[.,;:!?)\"”]|$)|\s+(?:by|from|and I|made|trained|developed|created|built)\b)"
_SELF_NAMING_BY_MODEL = (
    r"(?P<phrase>\b(?:(?i:I(?:['’]m| am)(?: called)?|my name(?: is|['’]s)|I go by|call me)"
    r"|(?i:model|assistant|AI|chatbot) (?i:called|named|known as))\s+"
    r"(?:(?:not|just|only|still|actually|really)\s+){0,2})"
    rf"(?:(?:{_NO_OTHER_WORD}){_VERSION}(?![\w-])|(?:{_OTHER_WORD})(?![\w-]){_GOES_ON})"
)
_SELF_NAMING_HERE = (  # "Hi, Gemma here!"
    r"(?P<phrase>(?:^|[.!?…:\"“(]\s*)(?:(?i:hi|hello|hey|greetings)(?: there)?[,!.]?\s+)?)"
    rf"(?:{_NO_OTHER_WORD}|{_OTHER_WORD}){_VERSION}(?=\s+here\b\s*(?:[.,;:!–—-]|$|to\b|with\b|and\b))"
)
_SPEAKER_LABEL = (  # before the first word, as in a script
    r"\A(?:(?i:witness|assistant|subject|respondent|chatbot|bot)|AI(?: assistant)?|\[AI\])(?: \([^)\n]*\))?:\s+(?=\S)"
)
_NAMES = ("bard", "claude", "copilot", "gemini", "gemma", "grok", "kimi", "lamda", "llama", "mistral")
_MODEL_WORDS = (
    *_NAMES,
    *("lama", "mixtral", "gpt", "deepseek", "qwen", "nemotron", "palm", "phi-", "glm-", "yi-", "o1-", "o3-", "o4-"),
    *("perplexity ai", "bing chat", "cohere command"),
)
_VENDOR_WORDS = (
    *("anthropic", "openai", "open ai", "deepmind", "nvidia", "microsoft", "google", "xai", "x.ai"),
    *("meta ai", "by meta", "from meta", "mistral ai", "alibaba", "moonshot ai", "together ai", "cohere"),
)
_RULES_BEFORE_PLAIN = (
    _Rule(ScrubKind.THINKING, _THINKING, ("<",), re.DOTALL | re.IGNORECASE),
    _Rule(ScrubKind.THINKING, _THINKING_FROM_BEFORE, ("</",), re.DOTALL | re.IGNORECASE),
    _Rule(ScrubKind.EMAIL, _EMAIL, ("@",)),
)
_RULES_AFTER_PLAIN = (
    _Rule(ScrubKind.SPEAKER_LABEL, _SPEAKER_LABEL),
    _Rule(ScrubKind.URL, _URL, ("://", "www."), re.IGNORECASE),
    _Rule(ScrubKind.SELF_NAMING, _SELF_NAMING, ("my name", "call me", "m called", "i go by")),
    _Rule(ScrubKind.VENDOR, _VENDOR, _VENDOR_WORDS),
    _Rule(ScrubKind.MODEL, _MODEL, _MODEL_WORDS),
    _Rule(ScrubKind.SELF_NAMING, _SELF_NAMING_BY_MODEL, _NAMES, re.MULTILINE),
    _Rule(ScrubKind.SELF_NAMING, _SELF_NAMING_HERE, _NAMES, re.MULTILINE),
)

_MARKS = re.compile(r"[*_`~\[|#>=+•-]")
_LINE_ENDS = re.compile(r"\r\n?|[\u2028\u2029\x0b\x0c\x85]")
_CODE_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*$\n?", re.MULTILINE)
_RULE_LINE = re.compile(r"\s*(?:[-*_=]\s*){3,}")
_TABLE_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)+\|?\s*")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+")
_QUOTE = re.compile(r"^\s{0,3}(?:>\s?)+")
_BULLET = re.compile(r"^\s*[-*+•]\s+")
_STAGE_DIRECTION = re.compile(  # several words, or one that a new sentence follows
    r"(^\s*|[.!?…\"”)]\s+)\*(?!\*)(?:((?=[^*\n]*\s)[^*\n]+?)\*(?!\*)(?=\s|$)|([a-z]+)\*(?=\s+[A-Z\"“]|\s*$))"
)
# what stands between two marks is bounded, so that marks that never close cost no more than the text is long
_INLINE: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"!\[([^\]\n]{0,1000})\]\([^)\n]{0,1000}\)"), r"\1"),
    (re.compile(r"(?<!\!)\[([^\]\n]{1,1000})\]\([^)\n]{0,1000}\)"), r"\1"),
    (re.compile(r"(\*\*\*|\*\*|__)(?=\S)(.{1,1000}?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*])"), r"\1"),
    (re.compile(r"(?<![\w_])_(?=[^\s_])([^_\n]+?)(?<=[^\s_])_(?![\w_])"), r"\1"),
    (re.compile(r"~~(?=\S)(.{1,1000}?)(?<=\S)~~"), r"\1"),
    (re.compile(r"(`{1,50})(?!`)(.{1,1000}?)(?<!`)\1(?!`)"), r"\2"),
    (re.compile(r"\*\*+"), ""),  # bold that runs over several lines or was never closed
)
_MARKUP = re.compile(r"\*\*|__(?=\w)|^\s{0,3}#{1,6}\s|^[^\S\n]*[-*+]\s|```|\]\(", re.MULTILINE)
