/** The page as one file on disk: the plan by a code, the answers as a file. */

import type { App } from './app';
import { el } from './dom';
import { drawInvitation, invitationOf, keyOf } from './invitation';
import { messages } from './messages';
import { readSaved } from './record';
import { fileName, responsesOf } from './responses_file';
import { codeScreen } from './screens/beginning';
import { handOverScreen } from './screens/ending';
import type { Invitation } from './session';
import type { OnDisk, Setting } from './setting';
import type { StaticBoot } from './wire.gen';

export function createOnDisk(boot: StaticBoot, app: App, tab: string): Setting {
  const pointer = `survey/${boot.study_id}`; // where the key of the last session is kept
  const { store, clock } = app;
  const linked = (): boolean => location.hash.length > 1;
  let invitation: Invitation | null = null;

  const use = (found: Invitation | null, takeOver = false): boolean => {
    invitation = found;
    if (found) app.session.open(keyOf(boot, found), takeOver);
    return found !== null;
  };

  /** Use what was chosen on the page; a wrong code in the address is of no use any more. */
  const choose = (found: Invitation | null): boolean => {
    if (found) history.replaceState(null, '', '#');
    return use(found);
  };

  const saveFile = (): void => {
    const saved = app.session.saved();
    if (!saved) return;
    const content = JSON.stringify(responsesOf(saved, boot, tab), null, 1);
    const address = URL.createObjectURL(new Blob([content], { type: 'application/json' }));
    el('a', { href: address, download: fileName(saved) }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  };

  const disk: OnDisk = {
    saveFile,
    codeView: () =>
      codeScreen(app.study.wording.screening.button, linked(), (code) => choose(invitationOf(boot, code)), () => choose(drawInvitation(boot))),
    handOverView: () =>
      handOverScreen(() => {
        saveFile();
        app.session.note({ handedOver: true });
        app.happened({ type: 'completed', codes: { completion: null, withdrawal: null } });
      }),
    deleteLocal() {
      if (!confirm(`${messages.deleteLocal}?`)) return;
      app.session.wipe();
      app.happened({ type: 'stopped', keep: false });
    },
  };

  return {
    disk,
    open(takeOver) {
      const last = readSaved(store, store.get(pointer) ?? '');
      const found = invitation ?? (linked() ? invitationOf(boot, location.hash) : last);
      if (!use(found, takeOver)) app.happened({ type: 'code_wanted' });
    },
    create(screening) {
      if (!invitation) return;
      store.set(pointer, keyOf(boot, invitation));
      app.session.create(screening, invitation, app.early);
    },
    finish() {
      if (!app.session.saved()?.finished) app.session.note({ finished: clock.wall() });
    },
    forget: () => store.remove(pointer),
    count: () => undefined,
    withdrawalLink: () => '',
  };
}
