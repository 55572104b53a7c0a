/** Reads what the page was given and starts it. */

import { createApp } from './app';
import { newId, randomShare } from './chance';
import { browserClock } from './clock';
import { createLease } from './lease';
import { createOnDisk } from './on_disk';
import { listenToPage } from './page_events';
import { createServed, keyOfServer } from './served';
import { createSession } from './session';
import { openStore, type Store } from './storage';
import { createServerTransport } from './transport_server';
import { createStaticTransport } from './transport_static';
import type { Boot, StaticBoot } from './wire.gen';

const boot = JSON.parse(document.getElementById('limen-boot')?.textContent ?? '') as Boot | StaticBoot;
const { study } = boot;
const served = boot.kind === 'server';
const store = openStore(() => localStorage);
const tab = tabOf(openStore(() => sessionStorage));
const app = createApp(study, boot.mode === 'pilot', store, browserClock);
const transport = served ? createServerTransport(boot, tab, newId) : createStaticTransport(boot, () => app.session.saved());
const lease = createLease(store, `${served ? keyOfServer(boot) : `survey/${boot.study_id}`}/lease`, newId(), () => Date.now());
app.session = createSession(transport, lease, randomShare, app);
app.setting = served ? createServed(boot, app, transport) : createOnDisk(boot, app, tab);
document.title = study.public_name;
listenToPage(app.page);
app.open();

/** A reload keeps the tab. The lease has an id of its own, since a tab that is duplicated keeps it too. */
function tabOf(tabStore: Store): string {
  const kept = tabStore.get('survey/tab') ?? newId();
  tabStore.set('survey/tab', kept);
  return kept;
}
