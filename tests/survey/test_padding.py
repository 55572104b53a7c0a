"""The length of a trial's message tells nothing."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.core.blinding import BlindedTrial
from limen.survey.padding import constant_overhead, padded, text_bytes
from limen.survey.wire import encode

TRIALS = st.builds(
    BlindedTrial,
    token=st.just("A" * 22),
    context=st.text(),
    response_a=st.text(),
    response_b=st.text(),
)


@given(st.lists(TRIALS, min_size=1, max_size=8))
def test_bytes_minus_the_texts_are_one_constant(trials: list[BlindedTrial]) -> None:
    overhead = constant_overhead(trials)
    for trial in trials:
        assert len(encode(padded(trial, overhead))) - text_bytes(trial) == overhead


def test_the_texts_are_sent_as_they_are() -> None:
    trial = BlindedTrial(token="t", context="é\n", response_a='"', response_b="<script>\\")
    message = padded(trial, 1000)
    assert (message.context, message.response_a, message.response_b) == ("é\n", '"', "<script>\\")


def test_an_overhead_of_another_set_is_refused() -> None:
    trial = BlindedTrial(token="t", context="", response_a="", response_b="")
    with pytest.raises(ValueError, match="overhead"):
        padded(replace(trial, context='"' * 50), constant_overhead([trial]))
