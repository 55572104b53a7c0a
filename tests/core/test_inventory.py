from hypothesis import given
from hypothesis import strategies as st

from builders import a_conversation, s3
from limen.core.inventory import NOT_RECORDED, Inventory, Share, count_words, take_stock
from limen.core.log_problems import LogProblem


@given(st.text() | st.text(alphabet=" \t\n\x0b\x0c\r\x1c\x1d\x1e\x1f\x85\xa0\u2003ab"))
def test_words_are_whitespace_separated_tokens(text: str) -> None:
    assert count_words(text) == len(text.split())


def test_conversations_are_counted_by_model_provider_and_language() -> None:
    items = [
        a_conversation(id="1", model="gpt-4o", provider=None, words=10, tags={"language": "English"}),
        a_conversation(id="2", model=None, provider=None, words=20),
        a_conversation(id="3", model="gpt-4o", provider="xai", words=[10, 10, 10, 10, 11], metric=None),
    ]
    found = take_stock(items, s3())
    assert found.whole == Share(3, 15, 201)
    assert found.models == {"gpt-4o": Share(2, 10, 101), NOT_RECORDED: Share(1, 5, 100)}
    assert {name: share.conversations for name, share in found.providers.items()} == {
        "openai": 1,
        "unknown": 1,
        "xai": 1,
    }
    assert {name: share.conversations for name, share in found.languages.items()} == {"English": 1, NOT_RECORDED: 2}
    assert found.reply_lengths() == {"min": 10, "q25": 10, "median": 10, "q75": 20, "max": 20}
    assert (found.drift["keyword-rms/s7"].conversations, found.drift["keyword-rms/s7"].observed.n) == (2, 10)


def test_what_is_no_reply_has_neither_words_nor_drift() -> None:
    texts = ["", "Error: rate limit exceeded", "One two three.", "Four.", "Five."]
    found = take_stock([a_conversation(texts=texts)], s3())
    assert found.no_replies == {"empty": 1, "error_text": 1}
    assert found.whole == Share(1, 3, 5)
    assert found.drift["keyword-rms/s7"].observed.n == 3
    void = take_stock([a_conversation(reference="Error: timed out", texts=texts)], s3())
    assert void.drift["keyword-rms/s7"].observed.n == 0


def test_nothing_is_counted_as_nothing() -> None:
    found = take_stock([], s3())
    assert found == Inventory()
    assert found.reply_lengths() == {}


_items = st.lists(
    st.one_of(
        st.builds(
            lambda name, model, words, drift: a_conversation((drift, drift), id=name, model=model, words=words),
            st.sampled_from("abc"),
            st.sampled_from(["gpt-4o", None]),
            st.integers(1, 9),
            st.floats(0, 2),
        ),
        st.builds(LogProblem, file=st.just("f"), record=st.sampled_from("12"), reason=st.sampled_from(["x", "y"])),
    ),
    max_size=6,
)


@given(_items, _items)
def test_the_parts_of_a_log_add_up_to_the_whole(one: list[object], other: list[object]) -> None:
    added = take_stock(one, s3())  # type: ignore[arg-type]
    added.add(take_stock(other, s3()))  # type: ignore[arg-type]
    assert added == take_stock([*one, *other], s3())  # type: ignore[list-item]
