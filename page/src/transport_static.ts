/** The session in this browser alone: the same promises, and nothing leaves the page. */

import { newId } from './chance';
import type { Saved } from './record';
import { Failure, type Transport } from './transport';
import type { SessionState, StaticBoot } from './wire.gen';

export function createStaticTransport(boot: StaticBoot, saved: () => Saved | null): Transport {
  const state = (): SessionState => {
    const kept = saved();
    const paths = kept?.entries.map(({ path }) => path) ?? [];
    const count = (kind: string): number => paths.filter((path) => path.startsWith(kind)).length;
    return {
      stage: kept?.handedOver ? 'done' : paths.includes('stop') ? 'stopped' : 'trials',
      next_practice: count('practice/') + 1,
      next_trial: count('trials/') + 1,
      debrief_done: paths.map((path) => path.replace('debrief/', '')),
      lease: true,
      completion_code: null,
      withdrawal_code: null,
    };
  };
  const qualifies = (screening: Saved['screening']): boolean =>
    Object.entries(boot.qualifying).every(([id, answer]) => screening[id] === answer);

  return {
    create: async ({ screening }) => (qualifies(screening) ? { token: newId(), state: state() } : { screened_out: true }),
    open: async () => state(),
    async trial(_token, number) {
      const trial = boot.plans.find(({ code }) => code === saved()?.code)?.trials[number - 1];
      if (!trial) throw new Failure();
      return trial;
    },
    put: async () => state(),
    complete: async () => state(),
    count: async () => undefined,
    release: () => undefined,
  };
}
