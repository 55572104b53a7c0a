/** The page as a server gives it out. */

import type { App } from './app';
import { readSaved } from './record';
import type { Setting } from './setting';
import type { Transport } from './transport';
import type { Boot } from './wire.gen';

/** Give what everything of this page is kept under: a pilot is another session than the study. */
export function keyOfServer({ api, mode }: Boot): string {
  return `survey/${api}/${mode}`;
}

const COUNT_AGAIN_MS = 5000;

export function createServed(boot: Boot, app: App, transport: Transport): Setting {
  const key = keyOfServer(boot);
  const counted = `${key}/counted`;
  const count: Setting['count'] = (what) => {
    const before = app.store.get(counted) ?? '';
    if (before.includes(what)) return;
    app.store.set(counted, before + what); // at once: a request that a reload cuts off arrives all the same
    const send = (): unknown => transport.count(what).catch(() => app.clock.after(COUNT_AGAIN_MS, send));
    send();
  };
  return {
    disk: null,
    count,
    open(takeOver) {
      if (!readSaved(app.store, key)) count('landed');
      app.session.open(key, takeOver);
    },
    create(screening) {
      app.store.remove(counted); // who comes to begin another session is counted anew
      app.session.create(screening, { code: '', drawn: false }, app.early);
    },
    finish: () => app.session.complete(),
    forget: () => undefined,
    withdrawalLink: (code) => new URL(`withdraw/${code}`, location.href).href, // beside the page, whatever stands before it
  };
}
