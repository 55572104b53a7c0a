import json
from datetime import UTC, datetime
from functools import cache

import pytest

from builders import ListedLogs, enough_conversations, metrics, s3
from limen.core.log_problems import LogProblem
from limen.errors import DataError
from limen.study.pairs_file import decode_metadata, decode_stimuli, encode_checks, encode_pairs
from limen.study.review_file import review_text
from limen.workflow.preparation import Preparation
from limen.workflow.prepare import prepare_pairs

MADE_AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@cache
def _preparation() -> Preparation:
    problem = LogProblem(file="log.jsonl", record="line 3", reason="not JSON")
    return prepare_pairs(s3(), ListedLogs([*enough_conversations(), problem]), metrics())


def test_what_is_written_reads_back_the_same() -> None:
    preparation = _preparation()
    pairs, checks = encode_pairs(preparation, MADE_AT), encode_checks(preparation.stimuli)
    assert decode_stimuli(pairs, checks, "stimuli") == preparation.stimuli


def test_the_same_logs_and_seed_give_the_same_bytes() -> None:
    again = prepare_pairs(s3(), ListedLogs([*enough_conversations(), *_problems()]), metrics())
    assert encode_pairs(again, MADE_AT) == encode_pairs(_preparation(), MADE_AT)
    assert encode_checks(again.stimuli) == encode_checks(_preparation().stimuli)


def _problems() -> list[LogProblem]:
    return [LogProblem(file="log.jsonl", record="line 3", reason="not JSON")]


def test_the_file_has_the_fields_that_were_agreed() -> None:
    found = json.loads(encode_pairs(_preparation(), MADE_AT))
    meta = found["metadata"]
    assert meta["generated_at"] == "2026-01-02T03:04:05Z"
    assert meta["selection_criteria"]["baseline_threshold"] == 0.30
    assert meta["selection_criteria"]["catastrophic_threshold"] == 1.00
    assert meta["selection_criteria"]["words"] == [200, 300]
    assert meta["complete"] is True
    assert (meta["seed"], meta["metric"], meta["metric_standing"]) == (20251228, "keyword-rms/s7", None)
    assert meta["log_problems"]["by_reason"] == {"not JSON": 1}
    assert set(meta["source_files"][0]) == {"name", "sha256", "conversations", "problems"}
    assert set(meta["funnel"][0]) == {"condition", "provider", "reason", "dropped", "left"}
    pair = found["pairs"][0]
    assert list(pair)[:6] == ["pair_id", "condition", "provider", "context", "response_a", "response_b"]
    assert set(pair["response_a"]) == {"text", "turn", "drift_score"}
    for key in (
        "conversation_id",
        "model",
        "tags",
        "drift_metric",
        "drift_full_text",
        "drift_a_to_b",
        "flags",
        "scrubbed",
        "words",
    ):
        assert key in pair


def test_a_damaged_file_is_told_in_one_line() -> None:
    checks = encode_checks(_preparation().stimuli)
    whole = encode_pairs(_preparation(), MADE_AT)
    for damaged in (
        b"",
        whole[:500],
        whole.replace(b'"pairs"', b'"pears"'),
        whole.replace(b"limen.pairs/1", b"limen.pairs/9"),
    ):
        with pytest.raises(DataError) as caught:
            decode_stimuli(damaged, checks, "stimuli")
        assert "\n" not in str(caught.value)
        assert "run `limen pairs` again" in str(caught.value)


def test_metadata_reads_back() -> None:
    assert decode_metadata(encode_pairs(_preparation(), MADE_AT), "s").conversations_read == 22


def test_the_review_file_shows_every_text_and_nothing_in_it_becomes_markup() -> None:
    text = review_text(_preparation().stimuli)
    for s in _preparation().stimuli.stimuli:
        assert f"## {s.pair_id}" in text
        assert s.pair.a.text in text
        assert s.pair.b.text in text
    assert text.count("~~~text") == 2 * (20 + 3)
