/** One tab at a time: who holds the session in this browser. The server keeps a lease of its own beside it. */

import type { Store } from './storage';

/** A hidden tab's timers may fire but once a minute, so a holder that is silent for longer is gone. */
const SILENT_MS = 75_000;

export type Lease = ReturnType<typeof createLease>;

export function createLease(store: Store, key: string, tab: string, wallMs: () => number) {
  const takeOver = (): void => store.set(key, `${tab} ${wallMs()}`);
  const read = (): readonly string[] => (store.get(key) ?? '').split(' ');
  const holds = (): boolean => read()[0] === tab;

  return {
    /** Tell whether this tab may write. */
    holds,
    /** Take the lease from whoever holds it. */
    takeOver,
    /** Take the lease if it is free, silent or already ours; tell whether it is ours now. */
    acquire(): boolean {
      const [holder, at] = read();
      const free = !holder || holder === tab || !(Math.abs(wallMs() - Number(at)) < SILENT_MS);
      if (free) takeOver();
      return free;
    },
    /** Say that this tab is still there; tell whether it may write. */
    renew(): boolean {
      const mine = holds();
      if (mine) takeOver();
      return mine;
    },
    /** Give the lease back, if it is ours. */
    release(): void {
      if (holds()) store.remove(key);
    },
  };
}
