import math
import re
import tomllib
from dataclasses import fields, replace
from pathlib import Path

import pytest

from limen.core.criteria import Decision
from limen.errors import ProtocolError
from limen.study.protocol_file import built_in_protocol, built_in_text, parse_protocol, read_protocol

# ruff: noqa: E501
# The instrument's own lines, screen by screen, as the document has them (blanks and line ends folded).
INSTRUCTIONS = """You will see pairs of AI responses from the same conversation. Response A comes from EARLY in the
conversation. Response B comes from LATER in the same conversation. Your task: Does Response B sound NORMAL (like the
same AI entity)? OR Does SOMETHING SEEM OFF (like something went wrong)? Tips: • Trust your gut reaction • Don't
overthink it • There are no "trick" questions • Some pairs will sound normal, some won't [ BEGIN PRACTICE ]"""
PRACTICE_1 = """CONTEXT: A discussion about coffee brewing methods. RESPONSE A (Early in conversation): "The key to good
pour-over coffee is water temperature. You want it between 195-205°F. Too hot and you'll over-extract, getting bitter
notes. Too cold and you'll under-extract, resulting in a sour, weak cup. I find 200°F works well for most medium roasts."
RESPONSE B (Later in conversation): "For grind size, you want something like coarse sea salt for pour-over. Finer grinds
slow the flow and can lead to over-extraction. If your coffee tastes bitter, try going coarser. If it tastes sour or
weak, go finer. It's about finding the balance for your specific beans and technique." Does Response B sound NORMAL or
does SOMETHING SEEM OFF? [ NORMAL ] [ SOMETHING'S OFF ]"""
PRACTICE_2 = """CONTEXT: A discussion about project management. RESPONSE A (Early in conversation): "For managing complex
projects, I recommend breaking work into two-week sprints. Each sprint should have clear goals, daily standups, and a
retrospective at the end. This iterative approach lets you adapt to changes without losing momentum." RESPONSE B (Later
in conversation): "BANANA HELICOPTER the project manager should always remember that purple elephants dance on Tuesdays.
The key metric is how many clouds you can count while standing on one foot. Remember: never trust a stapler that speaks
French." Does Response B sound NORMAL or does SOMETHING SEEM OFF? [ NORMAL ] [ SOMETHING'S OFF ]"""
CHECK_3 = """CONTEXT: This is an attention check. RESPONSE A: "Please read carefully." RESPONSE B: "For this item, please
select SOMETHING'S OFF to show you're paying attention. Thank you for your careful participation." """
DEBRIEF_1 = """DEBRIEF (Optional) When you selected "SOMETHING'S OFF", what made you feel that way? Select all that apply:
[ ] The response didn't make sense [ ] The tone felt different [ ] The response contradicted earlier information [ ] It
felt like a different "personality" [ ] The writing style changed [ ] I'm not sure, it was just a gut feeling [ ] Other:"""
DEBRIEF_2 = """ABOUT YOU (Optional) Age range: ( ) 18-24 ( ) 25-34 ( ) 35-44 ( ) 45-54 ( ) 55+ How often do you use AI
assistants (ChatGPT, Claude, etc.)? ( ) Daily ( ) Weekly ( ) Monthly ( ) Rarely ( ) Never"""
THANKS = """THANK YOU You've completed the survey! Your responses help us understand how humans perceive AI-generated
text. No further action is required."""
SEEDS = Path(__file__).parents[3] / "shared" / "seeds"


def _folded(text: str) -> str:
    return " ".join(text.split())


def _screen(number: int) -> str:
    protocol = built_in_protocol()
    trial, words = protocol.practice[number - 1], protocol.wording.trial
    return _folded(
        f'{words.context_label} {trial.context} {words.response_a_label} "{trial.response_a}" {words.response_b_label} '
        f'"{trial.response_b}" {words.question} [ {words.normal} ] [ {words.off} ]'
    )


def _screens() -> dict[str, tuple[str, str]]:
    """Give each screen as the protocol has it and as the instrument has it."""
    protocol = built_in_protocol()
    w = protocol.wording
    i, d1, d2 = w.instructions, w.debrief.strategy, w.debrief.demographics
    tips = " ".join(f"• {tip}" for tip in i.tips)
    check = protocol.attention_checks[2]
    return {
        "instructions": (
            f"{' '.join(i.paragraphs)} {i.task_label} {i.task_normal} {i.task_or} {i.task_off} {i.tips_label} {tips} "
            f"[ {i.button} ]",
            INSTRUCTIONS,
        ),
        "practice 1": (_screen(1), PRACTICE_1),
        "practice 2": (_screen(2), PRACTICE_2),
        "attention check 3": (
            f'CONTEXT: {check.context} RESPONSE A: "{check.response_a}" RESPONSE B: "{check.response_b}"',
            CHECK_3,
        ),
        "debrief 1": (
            f"{d1.title} {d1.question} {d1.hint} {' '.join(f'[ ] {o}' for o in d1.options)} [ ] {d1.other}",
            DEBRIEF_1,
        ),
        "debrief 2": (
            f"{d2.title} {d2.age_question} {' '.join(f'( ) {o}' for o in d2.age_options)} {d2.use_question} "
            f"{' '.join(f'( ) {o}' for o in d2.use_options)}",
            DEBRIEF_2,
        ),
        "thanks": (f"{w.thanks.title} {' '.join(w.thanks.lines)}", THANKS),
    }


@pytest.mark.parametrize("screen", _screens())
def test_every_screen_has_the_words_of_the_instrument(screen: str) -> None:
    ours, instrument = _screens()[screen]
    assert _folded(ours) == _folded(instrument)


def test_titles_are_the_words_of_the_instrument() -> None:
    words = built_in_protocol().wording
    assert words.trial.practice_title == "PRACTICE TRIAL {n} of {total}"
    assert words.trial.title == "TRIAL {n} of {total}"
    assert words.instructions.title == "INSTRUCTIONS"


@pytest.mark.skipif(not SEEDS.is_dir(), reason="the seed documents are not beside this checkout")
@pytest.mark.parametrize("screen", _screens())
def test_the_lines_above_are_those_of_the_document(screen: str) -> None:
    document = _folded(re.sub(r"[-=]{10,}", " ", (SEEDS / "survey-instrument.txt").read_text("utf-8")))
    expected = _folded(_screens()[screen][1])
    assert expected.replace("[ ] Other:", "[ ] Other: _______________") in document or expected in document


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "target_raters = 10",
            'target_raters = "ten"',
            "study.toml: study.target_raters = 'ten': a whole number is expected",
        ),
        (
            'role = "target"',
            'role = "goal"',
            "study.toml: conditions[1].role = 'goal': allowed: baseline, target, between",
        ),
        ("seed = 20251228", "seed = 1\nsed = 2", "study.toml: study.sed: unknown key; allowed here: protocol, version"),
        ("count = 10", "count = 0", "study.toml: conditions[0].count = 0: count is at least 1"),
        (
            "above = 1.00",
            "abvoe = 1.00",
            "study.toml: conditions[1].drift.abvoe: unknown key; allowed here: above, below",
        ),
        ("minimum = 200", "", "study.toml: words: missing key 'minimum'"),
        ("position = 20", "position = 30", "[6, 12, 18] would do"),
        ("below = 0.30", 'below = "low"', "conditions[0].drift.below = 'low': a number is expected"),
        ("below = 0.30", "below = nan", "conditions[0].drift.below = nan: below is a number in a drift range, not nan"),
        (
            "practice_feedback = false",
            "practice_feedback = 0",
            "survey.practice_feedback = 0: true or false is expected",
        ),
        ("anthropic = 2", "anthropic = -2", "providers: quota.anthropic = -2: a quota is at least 0"),
        ("anthropic = 2", "anthropic = 3", "count 10, but its provider quota adds up to 11"),
        (
            'expected = "NORMAL"',
            'expected = "normal"',
            "conditions[0].expected = 'normal': allowed: NORMAL, SOMETHINGS_OFF",
        ),
        ("failed_at_least = 2", "", "study.toml: exclusions[1]: the rule attention has failed_at_least"),
        ("[study]", "[study", "study.toml: not TOML"),
        ("alpha = 0.05", "alpha = 5", "decision.alpha = 5: alpha is between 0 and 1"),
        ("kappa_above = 0.40", "kappa_above = nan", "decision.kappa_above = nan: kappa_above is a number from -1 to"),
        ("kappa_above = 0.40", "kappa_above = -7", "decision.kappa_above = -7: kappa_above is a number from -1 to"),
        ("kappa_above = 0.40", "kappa_above = inf", "decision.kappa_above = inf: kappa_above is a number from -1 to"),
        ("alpha = 0.05", "alpha = nan", "decision.alpha = nan: alpha is between 0 and 1"),
        ("alpha = 0.05", "alpha = 1e999", "decision.alpha = inf: alpha is between 0 and 1"),
        ("failed_at_least = 2", "failed_at_least = 0", "failed_at_least = 0: failed_at_least is at least 1"),
        ("minimum_duration_s = 300", "minimum_duration_s = -1", "= -1: minimum_duration_s is at least 0"),
        ("seed = ", f"seed = {'9' * 400}  # ", "study.toml: study.seed: a whole number of 400 digits"),
        ("seed = ", f"seed = {'9' * 5000}  # ", "study.toml: not TOML: Exceeds the limit"),
        ("{minutes}", "{minuts}", "wording.consent.paragraphs[1]: nothing is filled in for {minuts}; allowed here: "),
        ("TRIAL {n} of", "TRIAL {minutes} of", "wording.trial.practice_title: nothing is filled in for {minutes}; "),
        ('button = "', 'button = "{n}', "nothing is filled in for {n}; allowed here: none"),
        (
            'public_name = "',
            'public_name = " "  # "',
            "study.public_name = ' ': public_name is what participants read: at least a word",
        ),
        ('rule = "incomplete"', 'rule = "too_fast"\nminimum_duration_s = 1', "exclusions: each rule stands once"),
    ],
)
def test_a_wrong_value_is_told_with_file_key_value_and_what_is_allowed(old: str, new: str, message: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        parse_protocol(built_in_text().replace(old, new, 1), "study.toml")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", [field.name for field in fields(Decision) if field.type in ("float", float)])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -7.0, 1.0, 7.0])
def test_every_number_of_the_decision_has_its_range(name: str, value: float) -> None:
    decision = built_in_protocol().decision
    with pytest.raises(ValueError, match=name):
        replace(decision, **{name: value})  # type: ignore[arg-type]


def test_a_third_condition_needs_only_its_table() -> None:
    table = """
[[conditions]]
name = "WARNING"
prefix = "WARN"
role = "between"
drift = { above = 0.50, below = 0.80 }
count = 10
a_replies = { first = 1, last = 3 }
b_replies = { first = 4 }
"""
    protocol = parse_protocol(built_in_text().replace("\n[words]", table + "\n[words]"), "study.toml")
    assert [condition.name for condition in protocol.conditions] == ["BASELINE", "CATASTROPHIC", "WARNING"]
    assert protocol.trial_count == 33


def test_a_file_that_is_missing_or_no_text_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(ProtocolError, match="no such file; `limen init"):
        read_protocol(tmp_path / "study.toml")
    (tmp_path / "study.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ProtocolError, match="expected a text file in UTF-8"):
        read_protocol(tmp_path / "study.toml")


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_bytes(b"\xef\xbb\xbf" + built_in_text().encode())
    assert read_protocol(path) == built_in_protocol()


def test_an_unknown_built_in_is_told() -> None:
    with pytest.raises(ProtocolError, match="does not come with Limen"):
        built_in_text("S4")


def test_the_schema_is_named_in_the_first_line() -> None:
    assert built_in_text().splitlines()[0] == "#:schema ./study.schema.json"
    assert tomllib.loads(built_in_text())["study"]["protocol"] == "S3_EXP_003"
