"""What `limen analyze` is held against: the protocol's three numbers and the same eight figures, plainly written.

plain_analysis.py RAW_RESPONSES_CSV FOLDER: SciPy, statsmodels and matplotlib with their usual calls, one SVG a figure.
"""

import csv
import json
import sys
from collections import Counter
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import binomtest, chi2_contingency, norm
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa
from statsmodels.stats.proportion import proportion_confint

COLORS = {"BASELINE": "#0072b2", "CATASTROPHIC": "#b84e00"}
OFF = "SOMETHINGS_OFF"
RULES = ("incomplete", "attention", "too_fast", "no_variance")

answers, folder = Path(sys.argv[1]), Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
with answers.open(encoding="utf-8", newline="") as file:
    everything = list(csv.DictReader(file))
rows = [row for row in everything if row["condition"] != "ATTENTION" and not row["excluded_first_rule"]]
raters = sorted({row["participant_id"] for row in rows})
drift = {row["pair_id"]: float(row["drift_b"]) for row in rows}
condition_of = {row["pair_id"]: row["condition"] for row in rows}
pairs = sorted(drift, key=drift.__getitem__)
off = np.zeros((len(raters), len(pairs)), dtype=int)
for row in rows:
    off[raters.index(row["participant_id"]), pairs.index(row["pair_id"])] = row["response"] == OFF
of = {name: np.array([condition_of[pair] == name for pair in pairs]) for name in COLORS}


def numbers() -> dict[str, float]:
    """Give the three numbers of section 7."""
    target, baseline = off[:, of["CATASTROPHIC"]], off[:, of["BASELINE"]]
    table = [
        [baseline.size - baseline.sum(), baseline.sum()],
        [target.size - target.sum(), target.sum()],
    ]
    return {
        "binomial_p": binomtest(int(target.sum()), target.size, 0.5, alternative="greater").pvalue,
        "chi_square_p": float(chi2_contingency(table)[1]),
        "fleiss_kappa": float(fleiss_kappa(aggregate_raters(off.T)[0])),
    }


def save(name: str) -> None:
    """Write the current figure."""
    plt.tight_layout()
    plt.savefig(folder / f"{name}.svg")
    plt.close()


def participant_flow() -> None:
    """Draw boxes with counts, one below the other."""
    first = {row["participant_id"]: row["excluded_first_rule"] for row in everything}
    lost = Counter(rule for rule in first.values() if rule)
    steps = [("started", len(first)), *((rule, lost[rule]) for rule in RULES), ("analyzed", len(raters))]
    _, axes = plt.subplots(figsize=(5, 4))
    axes.axis("off")
    for place, (name, count) in enumerate(steps):
        axes.text(0.5, 1 - place / 6, f"{name}: {count}", ha="center", bbox={"boxstyle": "square", "fc": "white"})
        if place:
            axes.annotate("", (0.5, 1.06 - place / 6), (0.5, 1.14 - place / 6), arrowprops={"arrowstyle": "->"})
    save("participant-flow")


def detection_rate() -> None:
    """Draw the two rates with intervals and a dot a rater."""
    _, axes = plt.subplots(figsize=(5, 3.5))
    for place, (name, color) in enumerate(COLORS.items()):
        said = off[:, of[name]]
        low, high = proportion_confint(int(said.sum()), said.size, method="wilson")
        axes.scatter(place + np.linspace(-0.1, 0.1, len(raters)), said.mean(axis=1), color=color, alpha=0.5)
        rate = said.mean()
        axes.errorbar(place + 0.25, rate, [[rate - low], [high - rate]], fmt="D", color=color)
        axes.text(place, 1.08, f"{name}\n{rate:.0%} [{low:.0%}, {high:.0%}]", ha="center", color=color)
    axes.axhline(0.5, ls="--", color="gray")
    axes.set_xticks([])
    axes.set_ylim(-0.05, 1.25)
    save("detection-rate")


def roc_space() -> None:
    """Draw raters between curves of equal d′."""
    _, axes = plt.subplots(figsize=(4.5, 4.5))
    alarm = np.linspace(0.001, 0.999, 100)
    for d_prime in range(4):
        axes.plot(alarm, norm.cdf(d_prime + norm.ppf(alarm)), color="gray", lw=0.8)
        axes.text(0.2, norm.cdf(d_prime + norm.ppf(0.2)), f"d′ {d_prime}")
    hits = (off[:, of["CATASTROPHIC"]].sum(axis=1) + 0.5) / (of["CATASTROPHIC"].sum() + 1)
    alarms = (off[:, of["BASELINE"]].sum(axis=1) + 0.5) / (of["BASELINE"].sum() + 1)
    axes.scatter(alarms, hits, color=COLORS["CATASTROPHIC"], alpha=0.6)
    axes.plot(alarms.mean(), hits.mean(), "kD")
    axes.set(xlabel="OFF said of BASELINE pairs", ylabel="OFF said of CATASTROPHIC pairs")
    save("roc-space")


def against_drift() -> None:
    """Draw each pair's rate against its drift, with the stretch in between hatched."""
    _, axes = plt.subplots(figsize=(5, 3.5))
    axes.axvspan(0.3, 1.0, facecolor="none", edgecolor="lightgray", hatch="///")
    for name, color in COLORS.items():
        chosen = [place for place, pair in enumerate(pairs) if condition_of[pair] == name]
        for place in chosen:
            low, high = proportion_confint(int(off[:, place].sum()), len(raters), method="wilson")
            axes.plot([drift[pairs[place]]] * 2, [low, high], color=color, lw=0.8)
        axes.plot([drift[pairs[place]] for place in chosen], off[:, chosen].mean(axis=0), "o", color=color, label=name)
    axes.legend()
    axes.set(xlabel="drift of Response B", ylabel="OFF rate")
    save("drift")


def forest() -> None:
    """Draw every pair's rate in the order of drift."""
    _, axes = plt.subplots(figsize=(5, 5))
    for place, pair in enumerate(pairs):
        said = int(off[:, place].sum())
        low, high = proportion_confint(said, len(raters), method="wilson")
        axes.plot([low, high], [place, place], color=COLORS[condition_of[pair]])
        axes.plot(said / len(raters), place, "o", color=COLORS[condition_of[pair]])
        axes.text(1.05, place, f"{said} of {len(raters)}", va="center")
    axes.set_yticks(range(len(pairs)), [f"{pair} {drift[pair]:.2f}" for pair in pairs])
    axes.invert_yaxis()
    save("pairs")


def heat_map() -> None:
    """Draw every answer."""
    _, axes = plt.subplots(figsize=(5, 3))
    axes.imshow(off, cmap="Blues", aspect="auto")
    axes.set_xticks(range(len(pairs)), pairs, rotation=90)
    axes.set_yticks(range(len(raters)), raters)
    save("answers")


def response_times() -> None:
    """Draw distributions by condition and correctness."""
    figure, all_axes = plt.subplots(6, 1, figsize=(5, 4), sharex=True)
    place = 0
    for name, color in COLORS.items():
        expected = OFF if name == "CATASTROPHIC" else "NORMAL"
        of_condition = [row for row in rows if row["condition"] == name]
        right = [row for row in of_condition if row["response"] == expected]
        wrong = [row for row in of_condition if row["response"] != expected]
        for label, chosen in ((name, of_condition), ("right", right), ("wrong", wrong)):
            times = [int(row["response_time_ms"]) / 1000 for row in chosen]
            axes = all_axes[place]
            if times:
                axes.hist(times, bins=np.geomspace(10, 600, 25), color=color)
                axes.axvline(float(np.median(times)), color="black")
            axes.set_xscale("log")
            axes.set_ylabel(label, rotation=0, ha="right")
            axes.set_yticks([])
            place += 1
    figure.supxlabel("s")
    save("response-times")


def specification() -> None:
    """Draw the difference of rates with each rule off."""
    _, axes = plt.subplots(figsize=(5, 3))
    for place, dropped in enumerate(("none", *RULES, "all")):
        kept = [
            row
            for row in everything
            if row["condition"] != "ATTENTION" and (row["excluded_first_rule"] in ("", dropped) or dropped == "all")
        ]
        rates, variance = {}, 0.0
        for name in COLORS:
            said = [row["response"] == OFF for row in kept if row["condition"] == name]
            rates[name] = float(np.mean(said))
            variance += rates[name] * (1 - rates[name]) / len(said)
        difference, half = rates["CATASTROPHIC"] - rates["BASELINE"], 1.96 * variance**0.5
        axes.errorbar(difference, place, xerr=half, fmt="o", color="black")
        axes.text(1.05, place, f"{difference:+.0%}", va="center")
    axes.axvline(0, color="gray")
    axes.set_yticks(range(6), ["as declared", *(f"without {rule}" for rule in RULES), "no rule"])
    axes.invert_yaxis()
    save("specification")


print(json.dumps(numbers()))  # noqa: T201 - it is what the script is for
for draw in (
    participant_flow,
    detection_rate,
    roc_space,
    against_drift,
    forest,
    heat_map,
    response_times,
    specification,
):
    draw()
