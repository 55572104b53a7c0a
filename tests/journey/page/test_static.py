"""The page as one file on disk, with the network off."""

from dataclasses import replace
from pathlib import Path

import msgspec
from playwright.sync_api import BrowserContext, Page, expect

from journey.page.conftest import Watch
from journey.page.participant import Participant, Way, mixed
from journey.page.study import static_boot, static_file, trials_of
from limen.core.blinding import BlindedStudy
from limen.core.stimuli import StimulusSet
from limen.survey.wire import StaticResponses

TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def arrive(
    context: BrowserContext,
    file: Path,
    study: BlindedStudy,
    code: str = "",
    way: Way = "mouse",
    *,
    hasty: bool = False,
) -> Participant:
    context.set_offline(True)
    page = context.new_page()
    rater = Participant(page, study, way, hasty=hasty)
    page.goto(file.as_uri() + code)
    return rater


def saved_file(rater: Participant, button: str = "SAVE THE FILE") -> tuple[str, StaticResponses]:
    """Press the button that saves, and read the file as `limen collect` will."""
    with rater.page.expect_download() as download:
        rater.press(button)
    content = Path(download.value.path()).read_bytes()
    return download.value.suggested_filename, msgspec.json.decode(content, type=StaticResponses)


def finish(rater: Participant) -> tuple[str, StaticResponses]:
    rater.strategy()
    rater.demographics()
    rater.sees("SAVE YOUR ANSWERS")
    saved = saved_file(rater)
    rater.sees(rater.study.wording.thanks.title)
    return saved


def check_complete(responses: StaticResponses, study: BlindedStudy) -> None:
    assert [trial.number for trial in responses.trials] == list(range(1, study.trial_count + 1))
    assert [trial.answer.response for trial in responses.trials] == mixed(study.trial_count)
    assert [trial.answer.response for trial in responses.practice] == ["NORMAL", "SOMETHINGS_OFF"]
    assert len({trial.token for trial in responses.trials}) == study.trial_count
    assert responses.finished is not None
    assert responses.consent_version == study.consent_version
    assert responses.main_task_ms == sum(
        attempt.visible_ms + attempt.hidden_ms for trial in responses.trials for attempt in trial.answer.attempts
    )
    for trial in responses.trials:
        assert trial.answer.response_time_ms == sum(attempt.visible_ms for attempt in trial.answer.attempts)
    assert responses.screening == {"english": "yes", "ai_use": "yes", "exposure": "no", "adult": "yes"}
    assert {"consent", "screening", "instructions", "strategy", "demographics"} <= responses.screens.keys()
    assert responses.strategy is not None
    assert responses.strategy.options == (0, 3)
    assert responses.demographics is not None
    assert (responses.demographics.age, responses.demographics.use) == (2, 0)


def test_a_whole_run_by_mouse_leaves_a_complete_file_and_sends_nothing(
    desktop: BrowserContext, watch: Watch, survey_file: Path, study: BlindedStudy
) -> None:
    rater = arrive(desktop, survey_file, study, "#K7QX", hasty=True)
    rater.begin()
    rater.practice()
    rater.trials(mixed(study.trial_count))
    name, responses = finish(rater)
    assert name == "responses_K7QX.json"
    assert (responses.code, responses.comment) == ("K7QX", None)
    check_complete(responses, study)
    assert {trial.answer.input for trial in responses.trials} == {"pointer"}
    assert [address for address in watch.requests if not address.startswith(("file:", "blob:"))] == []
    rater.page.reload()
    rater.sees(study.wording.thanks.title)
    expect(rater.page.locator("#withdrawal")).to_have_text(responses.response_id)
    expect(rater.page.locator(".card")).to_contain_text("Your personal code")
    assert rater.page.locator("main").inner_text().count("No further action is required.") == 1


def test_a_whole_run_by_keyboard_alone(desktop: BrowserContext, survey_file: Path, study: BlindedStudy) -> None:
    rater = arrive(desktop, survey_file, study, "#M2RD", "keys", hasty=True)
    rater.begin()
    rater.practice()
    rater.trials(
        mixed(study.trial_count),
        before=lambda _number: expect(rater.page.locator("h1")).to_be_focused(),  # a screen reader says where one is
    )
    name, responses = finish(rater)
    assert name == "responses_M2RD.json"
    check_complete(responses, study)
    assert {trial.answer.input for trial in responses.trials} == {"key"}


def test_a_whole_run_on_a_phone_with_a_reload_at_every_trial(
    phone: BrowserContext, survey_file: Path, study: BlindedStudy
) -> None:
    rater = arrive(phone, survey_file, study, "#P9WT", "touch", hasty=True)
    rater.begin()
    rater.practice()
    seen = []

    def reload(number: int) -> None:
        text = rater.page.locator("#b + .text").inner_text()
        rater.page.evaluate(TWO_FRAMES)  # an attempt begins with the second frame
        rater.page.wait_for_timeout(60)
        rater.page.reload()
        rater.sees(f"TRIAL {number} of {study.trial_count}")
        assert rater.page.locator("#b + .text").inner_text() == text
        seen.append(text)

    rater.trials(mixed(study.trial_count), before=reload)
    assert len(set(seen)) == study.trial_count
    _name, responses = finish(rater)
    check_complete(responses, study)
    assert {trial.answer.input for trial in responses.trials} == {"touch"}
    assert {len(trial.answer.attempts) for trial in responses.trials} == {2}
    assert {trial.answer.viewport.width for trial in responses.trials} == {390}


def test_a_code_is_typed_or_a_plan_is_drawn(desktop: BrowserContext, survey_file: Path, study: BlindedStudy) -> None:
    rater = arrive(desktop, survey_file, study, "#WRONG")
    rater.sees("WELCOME")
    expect(rater.page.get_by_role("alert")).to_contain_text("no such code")
    code = rater.page.get_by_label("Code:")
    code.fill("K7Q")
    rater.press("CONTINUE")
    expect(code).to_be_focused()
    expect(code).to_have_attribute("aria-invalid", "true")
    code.fill(" k7qx ")
    rater.press("CONTINUE")
    rater.sees(study.wording.consent.title)

    other = arrive(desktop, survey_file, study)
    other.sees("WELCOME")
    rater.page.close()
    other.press("I HAVE NO CODE")
    other.begin()
    other.practice()
    name, responses = saved_file(other, "Save")
    assert name == f"responses_{responses.response_id}.json"
    assert responses.code in {"K7QX", "M2RD", "P9WT"}
    assert (len(responses.practice), responses.trials, responses.finished) == (2, (), None)
    other.page.reload()
    other.sees(f"TRIAL 1 of {study.trial_count}")


def test_a_pilots_file_has_a_comment_box_and_the_comment(
    desktop: BrowserContext, built: str, stimuli: StimulusSet, study: BlindedStudy, tmp_path: Path
) -> None:
    short = replace(study, trial_count=2)
    boot = static_boot(short, [("K7QX", trials_of(stimuli, 1)[:2])], pilot=True)
    file = tmp_path / "survey.html"
    file.write_text(static_file(built, boot), "utf-8")
    rater = arrive(desktop, file, short, "#K7QX", hasty=True)
    rater.begin()
    rater.practice()
    rater.trials(mixed(2))
    rater.strategy()
    rater.demographics()
    rater.sees("YOUR COMMENTS")
    rater.page.locator("textarea").fill("Pair 2 was <long>.")
    rater.page.reload()
    rater.press(study.wording.debrief.continue_button)
    _name, responses = saved_file(rater)
    assert responses.comment is not None
    assert responses.comment.text == "Pair 2 was <long>."
    assert responses.finished is not None


def test_stopping_keeps_or_deletes_what_the_browser_has(
    desktop: BrowserContext, survey_file: Path, study: BlindedStudy
) -> None:
    stop = study.wording.stop
    rater = arrive(desktop, survey_file, study, "#K7QX")
    rater.begin()
    rater.practice()
    rater.press(stop.button)
    rater.press(stop.keep)
    expect(rater.page.locator("main")).to_contain_text(stop.kept)
    _name, responses = saved_file(rater, "Save my answers")
    assert len(responses.practice) == 2
    expect(rater.page.locator("#withdrawal")).to_have_text(responses.response_id)
    rater.page.reload()
    expect(rater.page.locator("main")).to_contain_text(stop.kept)
    rater.page.close()

    other = arrive(desktop, survey_file, study, "#M2RD")
    other.begin()
    other.press(stop.button)
    other.press(stop.delete)
    expect(other.page.locator("main")).to_contain_text(stop.deleted)
    assert "M2RD" not in kept_in(other.page)
    assert "K7QX" in kept_in(other.page)


def test_those_who_decline_or_do_not_qualify_leave_nothing_behind(
    desktop: BrowserContext, survey_file: Path, study: BlindedStudy
) -> None:
    rater = arrive(desktop, survey_file, study, "#K7QX")
    rater.press(study.wording.consent.decline)
    expect(rater.page.locator("main")).to_contain_text(study.wording.consent.declined)
    assert "token" not in kept_in(rater.page)
    rater.page.reload()
    rater.consent()
    rater.screen(exposure="yes")
    rater.sees(study.wording.screening.screened_out_title)
    expect(rater.page.locator("main")).to_contain_text(study.wording.screening.screened_out)
    assert "token" not in kept_in(rater.page)


def kept_in(page: Page) -> str:
    return str(page.evaluate("JSON.stringify(localStorage)"))
