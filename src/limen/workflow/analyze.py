"""From collected answers to an Analysis: exclude, estimate, compare, describe, conclude."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from limen.core.analysis.estimates import Undetermined
from limen.core.analysis.hierarchical import fit_condition_models
from limen.core.analysis.trials import OPTIONAL_COLUMNS, TrialTable
from limen.core.companions import estimate_companions
from limen.core.conclusion import CAVEATS, conclude
from limen.core.confounds import ConfoundAudit, audit_confounds
from limen.core.course import describe_attention, describe_departures, describe_positions
from limen.core.debrief import summarize_debrief
from limen.core.estimation import estimate_as_specified, evidence_for, key_of
from limen.core.exclusion import Judged, judge_participants
from limen.core.findings import Analysis, Flow, Made, Study, StudyCondition
from limen.core.flagging import flag_participants
from limen.core.hypotheses import answer_hypotheses
from limen.core.measures import ALL_PAIRS
from limen.core.outcome import decide
from limen.core.profiles import describe_pairs, describe_providers, describe_raters
from limen.core.protocol import Protocol
from limen.core.sample import Sample, take_sample
from limen.core.settings import differing_settings
from limen.core.specification import tabulate_specifications
from limen.core.stimuli import StimulusSet
from limen.core.timing import describe_reading_speed, describe_response_times
from limen.errors import NotReadyError, ProtocolError
from limen.workflow.collected import Collected

RESERVED = {ALL_PAIRS, "binomial", "chi_square", "fleiss_kappa", "kappa_label"}
"""Keys that stand beside condition names in analysis.json."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """When and with what an analysis is made, and the protocol that its settings are held against."""

    at: datetime
    versions: Mapping[str, str]
    built_in: Protocol


def analyze(
    collected: Collected, protocol: Protocol, making: Making, tell: Callable[[str], None] = lambda step: None
) -> Analysis:
    """Analyze the answers by the protocol; `tell` hears what is being done.

    Raises NotReadyError when nobody's answers are left to analyze.
    """
    _refuse_reserved_names(protocol)
    table = collected.table
    judged = judge_participants(table, protocol)
    sample = take_sample(table, protocol, judged.kept)
    _refuse_nobody(judged, sample, protocol)
    flagging = flag_participants(table)
    found = estimate_as_specified(sample, protocol)
    tell("fitting the models")
    models = fit_condition_models(sample.contrast)
    tell("estimating the companions")
    beside = estimate_companions(sample, protocol, models)
    evidence = evidence_for(sample, found, protocol.decision.agreement_scope)
    verdict = decide(evidence, protocol.decision, protocol.study.minimum_raters)
    tell("comparing specifications")
    specification = tabulate_specifications(sample, protocol, judged, flagging, models.logit)
    tell("describing raters and pairs")
    raters = describe_raters(sample, protocol, models.probit_slope, flagging)
    material = collected.material
    return Analysis(
        study=_study(collected, protocol, sample),
        n=_flow(collected, judged, protocol, sample),
        exclusions=judged.exclusions,
        exclusion_rules=judged.rules,
        as_specified=found,
        hypotheses=answer_hypotheses(sample, found, beside, verdict, evidence, protocol),
        companions=beside,
        specification=specification,
        response_times=describe_response_times(sample, protocol),
        reading_speed=describe_reading_speed(sample, protocol),
        attention=describe_attention(sample, protocol),
        debrief=summarize_debrief(collected.debrief, [row.participant for row in raters], protocol.wording.debrief),
        providers=describe_providers(sample, protocol),
        positions=describe_positions(sample, protocol),
        departures=describe_departures(sample, judged.complete),
        raters=raters,
        pairs=describe_pairs(sample, models.probit_slope),
        outcome=conclude(sample, found, beside, protocol, metric=material.metric, metric_standing=material.standing),
        caveats=CAVEATS,
        data_problems=collected.problems,
        confounds=_confounds(material.stimuli, protocol),
        deviations=material.deviations,
        settings=differing_settings(protocol, making.built_in),
        protocol=protocol,
        made=_made(collected, protocol, making),
    )


def digest_of(table: TrialTable) -> str:
    """Give a hash of all answers that does not depend on the order in which they were read."""
    digest = hashlib.sha256(repr((table.mode, table.conditions, table.stimuli, table.participants.ids)).encode())
    people = table.participants
    columns = [people.trials_planned, people.main_task_ms, table.participant, table.trial_number, table.stimulus]
    columns += [getattr(table, name) for name in OPTIONAL_COLUMNS if getattr(table, name) is not None]
    for column in columns:
        digest.update(column.astype("<i8").tobytes())
    digest.update(table.off.tobytes())
    return digest.hexdigest()


def _confounds(stimuli: StimulusSet | None, protocol: Protocol) -> ConfoundAudit | Undetermined:
    if stimuli is None:
        return Undetermined(reason="a table of answers does not hold the texts")
    return audit_confounds([s.pair for s in stimuli.stimuli], protocol, stimuli.unmatched)


def _refuse_reserved_names(protocol: Protocol) -> None:
    for condition in protocol.conditions:
        if key_of(condition) in RESERVED:
            raise ProtocolError(
                f"condition {condition.name}: the name stands for something else in the results; call it otherwise"
            )


def _refuse_nobody(judged: Judged, sample: Sample, protocol: Protocol) -> None:
    people, needed = judged.complete.size, f"at least {protocol.study.minimum_raters} raters are needed"
    if people == 0:
        raise NotReadyError(f"nobody has answered yet: there is nothing to analyze; {needed}")
    if sample.ratings.raters == 0:
        hit = [f"{rule.first_hits} {rule.rule.replace('_', ' ')}" for rule in judged.rules if rule.first_hits]
        why = "none of them answered a pair"
        if hit:
            first = judged.exclusions[0]
            told = f"{', '.join(hit)}; the first, {first.participant}, {first.evidence}"
            why = f"none is left after the exclusions ({told})"
        raise NotReadyError(f"{people} started and {why}: there is nothing to analyze; {needed}")


def _study(collected: Collected, protocol: Protocol, sample: Sample) -> Study:
    return Study(
        protocol=protocol.study.protocol,
        version=protocol.study.version,
        title=protocol.study.title,
        mode=collected.table.mode,
        metric=collected.material.metric,
        metric_standing=collected.material.standing,
        conditions=tuple(
            StudyCondition(
                name=condition.name,
                role=condition.role,
                drift=condition.drift,
                expected=condition.expected,
                pairs_declared=condition.count,
                pairs=sample.ratings.of_condition(condition.name).pairs,
            )
            for condition in protocol.conditions
        ),
    )


def _flow(collected: Collected, judged: Judged, protocol: Protocol, sample: Sample) -> Flow:
    arrivals, started, analyzed = collected.arrivals, judged.complete.size, sample.ratings.raters
    return Flow(
        landed=arrivals.landed,
        consented=arrivals.consented,
        screened_in=arrivals.screened_in,
        started=started,
        completed=int(judged.complete.sum()),
        withdrawn=arrivals.withdrawn,
        excluded=started - analyzed,
        analyzed=analyzed,
        minimum=protocol.study.minimum_raters,
        target=protocol.study.target_raters,
    )


def _made(collected: Collected, protocol: Protocol, making: Making) -> Made:
    return Made(
        at=making.at,
        versions=making.versions,
        seed=protocol.study.seed,
        protocol_digest=protocol.digest(),
        stimulus_digest=collected.material.digest,
        data_digest=digest_of(collected.table),
        source=collected.source,
    )
