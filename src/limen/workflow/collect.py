"""Sealed plans for the static page, and its answers taken in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from limen.core.debrief_options import misfit
from limen.core.judgment import Judgment
from limen.core.ordering import plan_session
from limen.core.sessions import (
    DebriefAnswer,
    DebriefQuestion,
    Enrolment,
    EventKind,
    Mode,
    Part,
    Screen,
    Session,
    Source,
    TrialRecord,
)
from limen.core.tokens import token_digest, trial_token, withdrawal_digest
from limen.errors import DataError
from limen.workflow.ports import Secrets, Writing
from limen.workflow.served import ServedStudy

CODE_LENGTH = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedPlan:
    """One order of trials under a short code. The stimulus ids stay with the researcher."""

    code: str
    stimulus_ids: tuple[str, ...]
    trial_tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticKey:
    """What is needed to read the answers of one exported page."""

    study_id: str
    mode: Mode
    made_at: datetime
    stimulus_digest: str
    consent_version: str
    plans: tuple[SealedPlan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticTrial:
    """An answer of the static page, with the token of its trial."""

    number: int
    token: str
    judgment: Judgment


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticSubmission:
    """The file that a participant of the static page sent back."""

    study_id: str
    response_id: str
    code: str
    consent_version: str
    screening: Mapping[str, str]
    started: datetime
    finished: datetime | None
    page_task_ms: int | None
    practice: tuple[StaticTrial, ...]
    trials: tuple[StaticTrial, ...]
    debriefs: Mapping[DebriefQuestion, DebriefAnswer]
    screens: Mapping[Screen, int]
    comment: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What became of a file."""

    participant: str | None  # None: it was withdrawn earlier, and stays so
    added: int
    known: int
    different: int  # answers that were stored differently before; the first stays
    plan_shared: bool


def seal_plans(
    study: ServedStudy, sessions: int, mode: Mode, secrets: Secrets, now: datetime, *, earlier: Sequence[StaticKey] = ()
) -> StaticKey:
    """Draw so many orders and give each a code. The orders come from the seed, codes and tokens never do.

    No order and no code is that of an `earlier` page: the numbers of a mode's orders go on where those ended.
    """
    taken = {plan.code for key in earlier for plan in key.plans}
    codes: dict[str, None] = {}
    while len(codes) < sessions:
        code = secrets.code(CODE_LENGTH)
        if code not in taken:
            codes[code] = None
    first = 1 + sum(len(key.plans) for key in earlier if key.mode is mode)
    plans = []
    for number, code in enumerate(codes, first):
        plan = plan_session(study.protocol, study.stimuli, f"order/static/{mode}/{number}")
        token = secrets.token()
        tokens = tuple(trial_token(token, n) for n in range(1, plan.trial_count + 1))
        plans.append(SealedPlan(code=code, stimulus_ids=plan.stimulus_ids, trial_tokens=tokens))
    return StaticKey(
        study_id=secrets.token(),
        mode=mode,
        made_at=now,
        stimulus_digest=study.digest,
        consent_version=study.blinded.consent_version,
        plans=tuple(plans),
    )


def take_in(
    desk: Writing, study: ServedStudy, keys: Sequence[StaticKey], submission: StaticSubmission, now: datetime
) -> Collected:
    """Store the answers of a file. The same file twice, or a later save of it, adds only what is new.

    Raises DataError when the file does not belong to this study or contradicts its plan.
    """
    key, plan = _belongs(study, keys, submission)
    digest = token_digest(submission.response_id)
    if desk.withdrawn(digest):
        return Collected(participant=None, added=0, known=0, different=0, plan_shared=False)
    session = desk.session(digest) or _enrol(desk, key, plan, submission, len(study.protocol.practice))
    if session.plan_code != plan.code:
        raise DataError(f"response {submission.response_id} was taken in with plan {session.plan_code} before")
    added = known = different = 0
    for part, trials in ((Part.PRACTICE, submission.practice), (Part.TRIALS, submission.trials)):
        for trial in trials:
            ids = plan.stimulus_ids[trial.number - 1] if part is Part.TRIALS else f"PRACTICE_{trial.number}"
            record = TrialRecord(
                number=trial.number, stimulus_id=ids, judgment=trial.judgment, received=trial.judgment.client_time
            )
            new = desk.add_record(session, part, record)
            same = new or desk.response(session, part, trial.number) == trial.judgment.response
            if part is Part.TRIALS:
                added, known, different = added + new, known + (same and not new), different + (not same)
    for question, answer in submission.debriefs.items():
        desk.add_debrief(session, question, answer, now)
    for screen, visible_ms in submission.screens.items():
        desk.add_screen(session, screen, visible_ms, now)
    if submission.comment:
        desk.add_comment(session, submission.comment, now)
    if session.finished is None and submission.finished is not None and len(submission.trials) == len(session.plan):
        desk.finish(session, submission.finished, page_task_ms=submission.page_task_ms, completion_code=None)
        desk.add_event(session, EventKind.FINISHED, submission.finished)
    shared = sum(other.plan_code == plan.code for other in desk.sessions(key.mode)) > 1
    return Collected(participant=session.participant, added=added, known=known, different=different, plan_shared=shared)


def _enrol(
    desk: Writing,
    key: StaticKey,
    plan: SealedPlan,
    submission: StaticSubmission,
    practice_count: int,
) -> Session:
    session = desk.enrol(
        Enrolment(
            mode=key.mode,
            number=desk.next_number(key.mode),
            source=Source.STATIC,
            plan=plan.stimulus_ids,
            practice_count=practice_count,
            stimulus_digest=key.stimulus_digest,
            consent_version=submission.consent_version,
            created=submission.started,
            tab="",
            held=False,
            token_digest=token_digest(submission.response_id),
            withdrawal_digest=withdrawal_digest(submission.response_id),
            plan_code=plan.code,
        )
    )
    desk.add_event(session, EventKind.CONSENTED, submission.started)
    return session


def _belongs(
    study: ServedStudy, keys: Sequence[StaticKey], submission: StaticSubmission
) -> tuple[StaticKey, SealedPlan]:
    """Give the key and the plan of a file, or raise DataError with what does not fit."""
    key = next((key for key in keys if key.study_id == submission.study_id), None)
    if key is None:
        raise DataError("is not from a page of this study; look whether it belongs to another study folder")
    if key.stimulus_digest != study.digest:
        raise DataError("is from a page made with other stimuli; put the old stimuli back to collect it")
    plan = next((plan for plan in key.plans if plan.code == submission.code), None)
    if plan is None:
        raise DataError(f"names plan {submission.code}, which this page does not have")
    if submission.consent_version != key.consent_version:
        raise DataError("names another consent text than its page has")
    qualifying = {q.id: str(q.qualifying) for q in study.protocol.wording.screening.questions}
    if dict(submission.screening) != qualifying:
        raise DataError("is from someone whom the screening questions do not admit")
    if submission.comment and key.mode is not Mode.PILOT:
        raise DataError("holds a comment, for which only the page of a pilot asks")
    _refuse_other_trials(study, plan, submission)
    for question, answer in submission.debriefs.items():
        wrong = misfit(answer, study.protocol.wording.debrief)
        if wrong is not None:
            raise DataError(f"does not answer the question {question} as its page does: {wrong}")
    return key, plan


def _refuse_other_trials(study: ServedStudy, plan: SealedPlan, submission: StaticSubmission) -> None:
    """Raise DataError unless a file holds trials of its plan, from the first on."""
    for part, trials in (("practice", submission.practice), ("trial", submission.trials)):
        if [trial.number for trial in trials] != list(range(1, len(trials) + 1)):
            raise DataError(f"does not hold each {part} once, in order from 1; ask for the file again")
    if len(submission.practice) > len(study.protocol.practice):
        raise DataError(
            f"holds {len(submission.practice)} practice trials, but there are {len(study.protocol.practice)}"
        )
    if len(submission.trials) > len(plan.stimulus_ids):
        raise DataError(f"holds {len(submission.trials)} trials, but its plan has {len(plan.stimulus_ids)}")
    for trial, token in zip(submission.trials, plan.trial_tokens, strict=False):
        if trial.token != token:
            raise DataError(f"trial {trial.number} is not the one that plan {plan.code} has there")
