"""What the columns of raw_responses.csv and the measures of summary_stats.csv mean: the data dictionary."""

from collections.abc import Mapping

RAW_COLUMNS: Mapping[str, str] = {
    "participant_id": "who answered",
    "trial_number": "from 1, checks counted",
    "pair_id": "the pair or attention check",
    "condition": "the protocol's name; `ATTENTION` for a check",
    "response": "`NORMAL` or `SOMETHINGS_OFF`",
    "response_time_ms": "visible time, summed over attempts, on a monotonic clock",
    "timestamp": "the server's receipt of the answer, UTC; of a static page (`source` is `static`) the page's clock",
    "mode": "live, pilot, preview or simulated",
    "expected": "the answer that the protocol expects",
    "attention_pass": "for a check: `true` or `false`",
    "excluded_first_rule": "the rule by which the participant is left out; empty: analyzed",
    "drift_b": "drift of Response B as shown",
    "provider": "of the pair",
    "words_a": "words of Response A as shown",
    "words_b": "words of Response B as shown",
    "attempt": "how often the trial was shown",
    "drift_a": "drift of Response A as shown",
    "copies": "how often stimulus text was copied",
    "focus_losses": "how often the page lost the focus",
    "words_per_minute": "reading speed: words of both responses over the response time; empty where one is not known",
    "main_task_ms": "time for the main task, the same on all rows of a participant",
    "main_task_clock": (
        "whose clock measured it: `server`, `page`, `own` (of a simulated rater) or `table` (from the timestamps)"
    ),
    "trials_planned": "how many trials the participant was to answer",
    "drift_metric": "the metric of `drift_a` and `drift_b`, on rows of pairs",
    "drift_standing": "what to know about that metric, such as whose thresholds are used",
    "source": "`server` or `static`; only where answers come from the store, as all that follow",
    "client_time_us": "the page's own time of the answer, in µs since 1970, UTC",
    "queued_offline": "1 where the answer waited for a line before it was sent; "
    "at trial 1 also where the message that the trial was on the screen waited",
    "focus_lost_ms": "how long the page was without the focus",
    "b_seen": "which share of Response B came into view",
    "input": "how the answer was given: `pointer`, `key` or `touch`",
    "viewport_width": "of the page, in CSS pixels",
    "viewport_height": "of the page, in CSS pixels",
}
"""In the order of the file. The first seven are the instrument's."""

SUMMARY_MEASURES: Mapping[str, tuple[str, str]] = {
    "participants": ("people who came this far", "stage"),
    "excluded_by_rule": ("participants counted under the rule, the first one they met", "rule"),
    "off": ("answers that said SOMETHING'S OFF, of `n`", "condition"),
    "accuracy": ("share of expected answers", "condition"),
    "binomial_p": ("protocol 7.1: exact binomial against chance, one-sided", "target condition"),
    "chi_square": ("protocol 7.2: χ² with Yates' correction", "conditions"),
    "chi_square_p": ("its p", "conditions"),
    "fleiss_kappa": ("protocol 7.3: Fleiss' κ", "pairs; `all`: those of target and baseline"),
    "off_rate": ("share of SOMETHING'S OFF with an interval; `method` says which one", "condition"),
    "agreement_*": ("percent, fleiss_kappa, ac1 or alpha with a bootstrap interval over pairs", "pairs"),
    "agreement_*_rater_se": ("its standard error over raters, by jackknife", "pairs"),
    "d_prime": ("sensitivity d′", "pooled, mean_of_raters or population"),
    "c": ("criterion c", "pooled, mean_of_raters or population"),
    "auc": ("area under the equal-variance ROC curve", "pooled, mean_of_raters or population"),
    "crossed_t_h1_*": ("crossed t against chance: t, df, one-sided p", "target condition"),
    "off_rate_difference": ("target − baseline, with the crossed interval", "conditions"),
    "crossed_t_difference_*": ("crossed t of the difference: t, df, p, p_one_sided", "conditions"),
    "chi_square_uncorrected": ("χ² without Yates' correction", "conditions"),
    "chi_square_uncorrected_p": ("its p", "conditions"),
    "fisher_p": ("Fisher's exact test", "conditions"),
    "accuracy_difference": ("difference of the two accuracies, printed only", "conditions"),
    "tost_p": ("two one-sided tests against chance ± margin, answers as independent", "baseline condition"),
    "tost_established": ("whether the 90 % crossed interval lies within the margin", "baseline condition"),
    "critical_count": ("from how many expected answers on a clause of H1 holds", "clause"),
    "cochran_q": ("do all baseline pairs have one OFF rate?", "baseline condition"),
    "cochran_q_p": ("its p", "baseline condition"),
    "trend_over_trials": ("change of the OFF rate a trial, within raters", "baseline condition"),
    "trend_over_trials_p": ("its p", "baseline condition"),
    "glmm_condition_*": ("effect of condition: estimate, se, z, p", "model"),
    "glmm_intercept_*": ("intercept: estimate, se, z, p", "model"),
    "glmm_lrt_p": ("likelihood-ratio test of condition", "model"),
    "glmm_log_likelihood": ("log-likelihood by Laplace's approximation", "model"),
    "glmm_rater_sd": ("SD of the raters' intercepts", "model"),
    "glmm_rater_slope_sd": ("SD of the raters' slopes, where the model has them", "model"),
    "glmm_rater_correlation": ("correlation of the two, where the model has it", "model"),
    "glmm_item_sd": ("SD of the pairs", "model"),
    "hypothesis": ("whether H1, H2 or H3 is met", "hypothesis"),
    "hypothesis_clause": ("whether a clause of it holds", "hypothesis and clause"),
    "outcome": ("the letter, with its reason", "agreement scope"),
    "outcome_clause": ("whether a clause of the outcome holds", "clause"),
    "companion_verdict": ("what the crossed test and interval say beside the letter", "conditions"),
    "specification_*": ("outcome, difference, rates, p values, κ and log odds of another analysis", "analysis"),
    "attention_passed": ("participants who passed the check", "check"),
    "attention_failed": ("participants who failed it", "check"),
    "response_time_mean_ms": ("mean response time", "condition and correctness"),
    "response_time_quantile_ms": ("a quantile of the response times", "condition, correctness, quantile"),
    "response_time_bin": ("answers in a bin of the figure", "condition, correctness, bin"),
    "words_per_minute_*": ("reading speed of the trials: median and quartiles", "condition"),
    "debrief_*": ("answers to the debrief: strategy, age, use", "option"),
    "position_off_rate": ("OFF rate at a trial number", "condition and trial"),
    "left_after": ("participants who went no further than this trial", "trial"),
    "provider_off_rate": ("OFF rate of a provider's pairs", "provider and condition"),
    "rater_*": ("one rater: OFF rates, d′, c, both by the model, times, reading speed", "rater"),
    "pair_*": ("one pair: OFF rate, that by the model for a typical rater, drifts, words, median time", "pair"),
    "answer_off": ("one answer of the heat map: 1 for SOMETHING'S OFF", "rater and pair"),
}
"""`*` stands for the names that the meaning lists. The second text says what the scope names."""


def meaning_of(measure: str) -> str | None:
    """Give the entry of the dictionary that a measure falls under, the most exact one first.

    >>> meaning_of("agreement_ac1_rater_se"), meaning_of("d_prime"), meaning_of("nonsense")
    ('agreement_*_rater_se', 'd_prime', None)
    """
    if measure in SUMMARY_MEASURES:
        return measure
    fitting = [entry for entry in SUMMARY_MEASURES if "*" in entry and _fits(measure, entry)]
    return max(fitting, key=len, default=None)


def _fits(measure: str, entry: str) -> bool:
    before, _, after = entry.partition("*")
    return measure.startswith(before) and measure.endswith(after) and len(measure) > len(before) + len(after)
