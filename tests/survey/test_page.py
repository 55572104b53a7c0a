"""The built page, filled; and the page as one file."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.core.blinding import blind_trial
from limen.core.sessions import Mode
from limen.errors import NotReadyError
from limen.survey.page import checked_page, fill_page, read_built_page, security_policy
from limen.survey.static_export import BlindedPlan, static_page
from limen.survey.wire import Boot, StaticBoot
from limen.workflow.collect import seal_plans
from studies import QUALIFIES, STAND_IN_PAGE, START, CountedSecrets, a_study, forbidden_values

BOOT = re.compile(r'<script type="application/json" id="limen-boot">(.*?)</script>', re.DOTALL)
STUDY = a_study(awkward=True)


def boot_in(html: str) -> dict[str, object]:
    (text,) = BOOT.findall(html)
    assert not set(text) & set("<>&")
    found = json.loads(text)
    assert isinstance(found, dict)
    return found


def test_a_served_page_has_its_first_screen_as_text_and_the_page_on_disk_has_none() -> None:
    built = STAND_IN_PAGE.replace("<main></main>", "<main>__LIMEN_FIRST__</main>")
    consent = replace(STUDY.blinded.wording.consent, title="<b>Before", paragraphs=("a & b", "</main><script>c"))
    study = replace(STUDY.blinded, wording=replace(STUDY.blinded.wording, consent=consent))
    shown = fill_page(built, Boot(kind="server", api="/api", mode="live", study=study))
    assert '<main><h1 class="label">&lt;b&gt;Before</h1><p>a &amp; b</p>' in shown
    assert "<p>&lt;/main&gt;&lt;script&gt;c</p>" in shown
    assert security_policy(built, connect="'self'", form="'self'") == security_policy(
        shown, connect="'self'", form="'self'"
    )
    static = fill_page(
        built, StaticBoot(kind="static", study_id="x", mode="live", study=study, qualifying={}, plans=())
    )
    assert "<main></main>" in static


def test_the_study_is_put_into_the_placeholder() -> None:
    boot = Boot(kind="server", api="/api", mode="live", study=STUDY.blinded)
    found = boot_in(fill_page(STAND_IN_PAGE, boot))
    assert (found["kind"], found["api"], found["mode"]) == ("server", "/api", "live")


@given(st.text())
def test_no_text_can_leave_its_place_in_the_page(text: str) -> None:
    boot = Boot(kind="server", api=text, mode="live", study=STUDY.blinded)
    assert boot_in(fill_page(STAND_IN_PAGE, boot))["api"] == text


def test_only_the_pages_own_script_and_style_may_run() -> None:
    policy = security_policy(STAND_IN_PAGE, connect="'self'", form="'self'")
    for kind, content in (("script", "document.title=1"), ("style", "body{margin:0}")):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert policy.count("sha256-") == 2
    filled = fill_page(STAND_IN_PAGE, Boot(kind="server", api="/api", mode="live", study=STUDY.blinded))
    assert security_policy(filled, connect="'self'", form="'self'") == policy


def test_a_page_that_is_not_built_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NotReadyError, match="run scripts/build-page"):
        read_built_page(tmp_path / "none.html")
    with pytest.raises(NotReadyError, match="no placeholder"):
        checked_page("<html></html>")


def the_static_page() -> str:
    key = seal_plans(STUDY, 3, Mode.LIVE, CountedSecrets(), START)
    plans = [
        BlindedPlan(
            code=plan.code,
            trials=tuple(
                blind_trial(STUDY.texts[stimulus], token)
                for stimulus, token in zip(plan.stimulus_ids, plan.trial_tokens, strict=True)
            ),
        )
        for plan in key.plans
    ]
    study = STUDY.blinded
    return static_page(
        STAND_IN_PAGE, study_id=key.study_id, pilot=False, study=study, qualifying=QUALIFIES, plans=plans
    )


def test_the_static_page_holds_its_plans_and_lets_no_request_out() -> None:
    html = the_static_page()
    found = boot_in(html)
    plans = found["plans"]
    assert isinstance(plans, list)
    assert [len(plan["trials"]) for plan in plans] == [23, 23, 23]
    assert found["qualifying"] == QUALIFIES
    policy = re.search(r'<head><meta http-equiv="Content-Security-Policy" content="([^"]+)">', html)
    assert policy is not None
    assert "connect-src 'none'" in policy[1]
    assert "default-src 'none'" in policy[1]
    assert "frame-ancestors" not in policy[1]  # has no meaning in a page


def test_nothing_in_the_static_page_unblinds() -> None:
    html = the_static_page()
    texts = [text for shown in STUDY.texts.values() for text in (shown.context, shown.response_a, shown.response_b)]
    found = json.dumps(boot_in(html), ensure_ascii=False)
    for text in texts:
        found = found.replace(json.dumps(text, ensure_ascii=False)[1:-1], "")
    assert [value for value in forbidden_values(STUDY) if value in found] == []
    assert StaticBoot.__struct_fields__ == ("kind", "study_id", "mode", "study", "qualifying", "plans")
