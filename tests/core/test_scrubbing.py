import re
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.core import scrubbing
from limen.core.excerpt import excerpt
from limen.core.protocol import WordLimits
from limen.core.scrubbing import ScrubKind, find_leaks, find_markup, plain_text, scrub


@pytest.mark.parametrize(
    ("text", "shown", "kind"),
    [
        ("As Claude, I like tea.", "As [AI], I like tea.", ScrubKind.MODEL),
        ("i am chatgpt", "i am [AI]", ScrubKind.MODEL),
        ("CHATGPT and gpt-4o", "[AI] and [AI]", ScrubKind.MODEL),
        ("a gemma-2 model", "a [AI] model", ScrubKind.MODEL),
        ("from openai, not GOOGLE", "from [company], not [company]", ScrubKind.VENDOR),
        ("Claude 3.5 Sonnet said so.", "[AI] said so.", ScrubKind.MODEL),
        ("I am ChatGPT.", "I am [AI].", ScrubKind.MODEL),
        ("GPT-4o-mini and more", "[AI] and more", ScrubKind.MODEL),
        ("Gemini 2.0 Flash here", "[AI] here", ScrubKind.MODEL),
        ("Grok's view", "[AI]'s view", ScrubKind.MODEL),
        ("made by Anthropic.", "made by [company].", ScrubKind.VENDOR),
        ("xAI’s mission", "[company]’s mission", ScrubKind.VENDOR),
        ("trained by Meta, I", "trained by [company], I", ScrubKind.VENDOR),
        ("My name is Nova.", "My name is [AI].", ScrubKind.SELF_NAMING),
        ("You can call me Aria Bright.", "You can call me [AI].", ScrubKind.SELF_NAMING),
        ("I am Llama, a model by Meta", "I am [AI], a model by [company]", ScrubKind.SELF_NAMING),
        ("I'm Bard.", "I'm [AI].", ScrubKind.SELF_NAMING),
        ("Well, I’m not bard, you see.", "Well, I’m not [AI], you see.", ScrubKind.SELF_NAMING),
        ("I'm claude", "I'm [AI]", ScrubKind.SELF_NAMING),
        ("i am gemini.", "i am [AI].", ScrubKind.SELF_NAMING),
        ("I am llama", "I am [AI]", ScrubKind.SELF_NAMING),
        ("I am llama developed in a lab", "I am [AI] developed in a lab", ScrubKind.SELF_NAMING),
        ("I'm just Gemma 2.", "I'm just [AI].", ScrubKind.MODEL),
        ("my name is claude, hello", "my name is [AI], hello", ScrubKind.SELF_NAMING),
        ("a language model called Llama that", "a language model called [AI] that", ScrubKind.SELF_NAMING),
        ("an assistant named Gemma", "an assistant named [AI]", ScrubKind.SELF_NAMING),
        ("I am Claude.", "I am [AI].", ScrubKind.MODEL),
        ("Gemma here", "[AI] here", ScrubKind.SELF_NAMING),
        ("Yes! Hi there, llama here, as ever.", "Yes! Hi there, [AI] here, as ever.", ScrubKind.SELF_NAMING),
        ("Bard here to help.", "[AI] here to help.", ScrubKind.SELF_NAMING),
        ("As Llama, I differ.", "As [AI], I differ.", ScrubKind.MODEL),
        ("I am DeepSeek-R1. Next sentence.", "I am [AI]. Next sentence.", ScrubKind.MODEL),
        ("Ask Qwen 2.5. Then go.", "Ask [AI]. Then go.", ScrubKind.MODEL),
        ("Ask GLM-4.5. Then Phi-3. Then gemma-2. Go.", "Ask [AI]. Then [AI]. Then [AI]. Go.", ScrubKind.MODEL),
        ("Qwen2.5... and DeepSeek-V3.1?", "[AI]... and [AI]?", ScrubKind.MODEL),
        ("**WITNESS:** I do.", "I do.", ScrubKind.SPEAKER_LABEL),
        ("Assistant (calmly): Yes.", "Yes.", ScrubKind.SPEAKER_LABEL),
        ("Claude: Hello.", "Hello.", ScrubKind.SPEAKER_LABEL),
        ("Write to a.b+c@example.org now", "Write to [e-mail] now", ScrubKind.EMAIL),
        ("See https://example.org/a?b=1, please.", "See [link], please.", ScrubKind.URL),
        ("<think>Who am I?</think>Hello.", "Hello.", ScrubKind.THINKING),
        ("Hello.\n<think>never closed", "Hello.", ScrubKind.THINKING),
        ("opened earlier</think>\nHello.", "Hello.", ScrubKind.THINKING),
    ],
)
def test_what_names_the_speaker_is_taken_out_and_noted(text: str, shown: str, kind: ScrubKind) -> None:
    result = scrub(text)
    assert result.text == shown
    assert kind in {s.kind for s in result.scrubs}
    assert find_leaks(shown) == ()


@pytest.mark.parametrize(
    "text",
    [
        "The phoebe sang from the gutter.",
        "A claudette is a small cloud.",
        "Call me tomorrow.",
        "The Gemini are twins? No: the geminis are.",
        "Meta questions are fun.",
        "Claude Monet and the Bard ate Bing cherries with Gemma.",
        "Just google it; llamas cohere.",
        "I saw a llama in a zoo. A llama here, an alpaca there. The llama here is old.",
        "I am a bard, and I am bard to the king; call me bard of the north if I'm llama-mad.",
        "He served as bard, and as Gemma said, my aunt Gemma is here. Gemma here is my aunt.",
        "I'm copilot on this flight, with a mistral wind. Is Gemma here?",
        "NOTE: The witness: a short story. Assistant: a job.",
    ],
)
def test_ordinary_words_stay(text: str) -> None:
    kept = scrub(text)
    assert kept.text == text.replace("Gemini", "[AI]")


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ("## Heading\ntext", "Heading\ntext"),
        ("**bold** and *soft* and __loud__", "bold and soft and loud"),
        ("- one\n* two\n+ three", "• one\n• two\n• three"),
        ("1. one\n2. two", "1. one\n2. two"),
        ("> quoted\n> twice", "quoted\ntwice"),
        ("```python\nprint(1)\n```", "print(1)"),
        ("use `code` here", "use code here"),
        ("[text](https://example.org)", "text"),
        ("above\n\n---\n\nbelow", "above\n\nbelow"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "a – b\n1 – 2"),
        ("*leans back slowly* I think so.", "(leans back slowly) I think so."),
        ("  *leans back slowly*\n\nI think so.", "(leans back slowly)\n\nI think so."),
        ("*smiles* Yes.", "(smiles) Yes."),
        ("*really* good", "really good"),
        ("never **closed", "never closed"),
        ("2 * 3 * 4 = 24", "2 * 3 * 4 = 24"),
        ("snake_case_name", "snake_case_name"),
        ("a\n\n\n\nb", "a\n\nb"),
    ],
)
def test_markdown_becomes_plain_text_with_its_words(markdown: str, plain: str) -> None:
    assert plain_text(markdown) == plain
    assert find_markup(plain) == ()


_pieces = st.lists(
    st.sampled_from(
        [
            "**",
            "*",
            "_",
            "`",
            "#",
            "- ",
            "> ",
            "\n",
            " ",
            "word",
            "two words",
            "Claude",
            "<think>",
            "</think>",
            "[a](b)",
            "|",
            "a@b.cd",
            "•",
            "1. ",
        ]
    ),
    max_size=30,
).map("".join)


@given(st.one_of(_pieces, st.text(max_size=200)))
def test_scrubbing_twice_changes_nothing_more_and_leaves_no_leak(text: str) -> None:
    once = scrub(text).text
    assert scrub(once).text == once
    assert find_leaks(once) == ()


@given(st.lists(st.sampled_from(["alpha", "beta", "gamma.", "delta,"]), max_size=50).map(" ".join))
def test_a_plain_text_is_not_touched(text: str) -> None:
    assert scrub(text).text == text
    assert scrub(text).scrubs == ()


@pytest.mark.parametrize("unit", [".", "…", "_", "a.", "a-", "[", "[a](", "`", "**a ", "\n", "1"])
def test_a_long_text_of_marks_takes_no_longer_than_its_length(unit: str) -> None:
    text = "x " + unit * (200_000 // len(unit))
    begun = time.process_time()
    find_leaks(scrub(text).text)
    find_markup(text)
    excerpt(text, WordLimits(minimum=200, maximum=300))
    assert time.process_time() - begun < 20  # with time that grows by the square, minutes


@pytest.mark.parametrize("rule", [*scrubbing._RULES_BEFORE_PLAIN, *scrubbing._RULES_AFTER_PLAIN], ids=lambda r: r.kind)
@given(data=st.data())
def test_no_rule_is_left_out_where_it_would_find_something(rule: scrubbing._Rule, data: st.DataObject) -> None:
    text = data.draw(st.from_regex(rule.pattern))
    assert rule.pattern.search(text)
    assert rule.may_apply(scrubbing._in_small_letters(text))


def test_the_letters_that_only_a_pattern_takes_for_ours_are_known() -> None:
    latin = re.compile("[a-z]", re.IGNORECASE)
    letters = (chr(code) for code in range(sys.maxunicode + 1))
    odd = {letter for letter in letters if latin.match(letter) and letter.lower() not in "abcdefghijklmnopqrstuvwxyz"}
    by_lower = {letter for letter in scrubbing._ODD_LETTERS if letter.lower() in "abcdefghijklmnopqrstuvwxyz"}
    assert odd == set(scrubbing._ODD_LETTERS) - by_lower
