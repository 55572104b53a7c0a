"""What is derived from a session's token."""

import re

from hypothesis import given
from hypothesis import strategies as st

from limen.core.tokens import (
    completion_code,
    request_digest,
    seal_token,
    token_digest,
    trial_token,
    unseal_token,
    withdrawal_code,
    withdrawal_digest,
)

TOKENS = st.from_regex(r"[A-Za-z0-9_-]{22}", fullmatch=True)


@given(TOKENS)
def test_everything_derived_has_a_fixed_shape_and_does_not_show_the_token(token: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_-]{22}", trial_token(token, 1))
    assert re.fullmatch(r"[a-z2-7]{26}", withdrawal_code(token))
    assert re.fullmatch(r"[A-Z2-7]{8}", completion_code(token))
    derived = [trial_token(token, 1), withdrawal_code(token), completion_code(token), token_digest(token)]
    assert all(token not in value for value in derived)


@given(TOKENS, TOKENS)
def test_trial_tokens_differ_between_participants_and_trials(one: str, other: str) -> None:
    tokens = {trial_token(token, n) for token in {one, other} for n in range(1, 24)}
    assert len(tokens) == 23 * len({one, other})


def test_the_digests_of_one_secret_differ_by_purpose() -> None:
    assert len({token_digest("x"), withdrawal_digest("x"), request_digest("x")}) == 3


def test_a_withdrawal_code_may_be_typed_as_people_type() -> None:
    assert withdrawal_digest("abcd efgh-2345 ") == withdrawal_digest("ABCDEFGH2345")


def test_what_is_no_text_has_a_digest_too() -> None:
    assert withdrawal_digest("\udcff\udcfe") not in (withdrawal_digest(""), withdrawal_digest("x"))


@given(token=st.text(alphabet="abcXYZ019_-", min_size=22, max_size=22), request=st.text(min_size=1), other=st.text())
def test_a_sealed_token_is_opened_by_its_request_alone(token: str, request: str, other: str) -> None:
    sealed = seal_token(token, request)
    assert token not in sealed
    assert unseal_token(sealed, request) == token
    if other != request:
        assert seal_token(token, other) != sealed
