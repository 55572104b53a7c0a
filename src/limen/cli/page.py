"""`limen page`: the survey as one file."""

from pathlib import Path
from typing import Annotated

import typer

from limen.cli.database import Folder, PageFile


def page(
    folder: Folder,
    to: Annotated[Path, typer.Option("--out", metavar="FILE", help="The page to write, such as survey.html.")],
    sessions: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, max=10_000, help="For how many participants: each gets an order of trials and a code."
        ),
    ],
    pilot: Annotated[bool, typer.Option("--pilot", help="Make a pilot: of a study that is not ready, too.")] = False,
    page_file: PageFile = None,
) -> None:
    """Write the survey as one HTML file that runs from disk.

    With it come key.json, which stays with you, and invitations.csv, with a code for each participant.
    """
    from limen.cli.console import SystemSecrets, WallClock, out
    from limen.cli.serve import refuse_unready
    from limen.core.blinding import blind_trial
    from limen.core.numerals import counted
    from limen.core.sessions import Mode
    from limen.errors import InputError
    from limen.study.folder import StudyFolder, write_whole
    from limen.study.key_file import add_invitations, add_key, read_keys
    from limen.survey.page import read_built_page
    from limen.survey.static_export import BlindedPlan, static_page
    from limen.workflow.collect import seal_plans
    from limen.workflow.served import serve_study

    study = StudyFolder(folder)
    if to.is_dir():
        raise InputError(f"--out {to}: is a folder; name a file, such as {to / 'survey.html'}")
    if to.exists():  # a page has codes of its own: those that were sent out with the old one would be unknown to it
        raise InputError(f"{to}: exists, and its codes would stop working; name another --out, or delete it first")
    protocol, stimuli = study.read_protocol(), study.read_stimuli()
    if not pilot:
        refuse_unready(protocol, stimuli, folder)
    built_page = read_built_page(page_file)
    served = serve_study(protocol, stimuli, live=not pilot)
    mode = Mode.PILOT if pilot else Mode.LIVE
    earlier = read_keys(study.static_key_file)
    key = seal_plans(served, sessions, mode, SystemSecrets(), WallClock().now(), earlier=earlier)
    plans = [
        BlindedPlan(
            code=plan.code,
            trials=tuple(
                blind_trial(served.texts[stimulus_id], token)
                for stimulus_id, token in zip(plan.stimulus_ids, plan.trial_tokens, strict=True)
            ),
        )
        for plan in key.plans
    ]
    qualifying = {q.id: q.qualifying.value for q in protocol.wording.screening.questions}
    blinded = served.blinded
    html = static_page(
        built_page, study_id=key.study_id, pilot=pilot, study=blinded, qualifying=qualifying, plans=plans
    )
    add_key(study.static_key_file, key)  # first, so that no page is ever sent out without its key
    add_invitations(study.invitations_file, key, to.name)
    write_whole(to, html.encode())
    console = out()
    console.print(f"wrote {to} with {counted(sessions, 'plan')}", markup=False)
    console.print(f"wrote {study.static_key_file}: it tells the conditions, so it stays with you", markup=False)
    console.print(f"wrote {study.invitations_file}: one link for each participant", markup=False)
    console.print(f"next: limen collect {folder} responses_*.json", markup=False)
