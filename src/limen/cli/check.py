"""`limen check`: the audit before anyone sees the study."""

from pathlib import Path
from typing import Annotated

import typer


def check(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The study folder.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON, for scripts.")] = False,
) -> None:
    """Audit a study: counts, balance, words, leaks, confounds, time. Exit code 3 when something must be mended."""
    import json
    from dataclasses import asdict

    from limen.cli.confounds import show_confounds
    from limen.cli.console import out
    from limen.core.audit import Severity, audit, in_order, problems_among
    from limen.core.cautions import cautions
    from limen.core.confounds import audit_confounds
    from limen.core.review import as_read, review_findings
    from limen.dataset.codec import to_plain
    from limen.study.folder import StudyFolder

    study = StudyFolder(folder)
    protocol, stimuli = study.read_protocol(), study.read_stimuli()
    confounds = audit_confounds([s.pair for s in stimuli.stimuli], protocol, stimuli.unmatched)
    review = study.read_review()
    found = audit(protocol, as_read(stimuli, review)) + tuple(review_findings(stimuli, review))
    findings = in_order(found + cautions(confounds))
    problems = problems_among(findings)
    if as_json:
        whole = {
            "ready": not problems,
            "findings": [asdict(f) for f in findings],
            "confounds": to_plain(confounds),
        }
        typer.echo(json.dumps(whole, indent=2, ensure_ascii=False))
        raise typer.Exit(3 if problems else 0)
    console = out()
    console.print(
        f"{protocol.study.protocol}: {len(stimuli.stimuli)} of {protocol.pair_count} pairs, "
        f"{len(stimuli.checks)} of {len(protocol.attention_checks)} attention checks, {protocol.trial_count} trials"
    )
    styles = {Severity.PROBLEM: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}
    for finding in findings:
        console.print(f"{finding.severity:8}", style=styles[finding.severity], end="")
        console.print(f" {finding.subject}: {finding.text}", markup=False)
        if finding.mend:
            console.print(f"         → {finding.mend}", style="dim", markup=False)
    show_confounds(console, confounds)
    console.print()
    if problems:
        console.print(f"not ready: {len(problems)} to mend", style="bold red")
        raise typer.Exit(3)
    console.print("ready", style="bold green")
