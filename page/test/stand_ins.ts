/** Small true implementations of what the page needs from outside. */

import type { Clock } from '../src/clock';
import type { Entry } from '../src/outbox';
import type { Store } from '../src/storage';
import { openStore } from '../src/storage';
import type { SessionState } from '../src/wire.gen';

/** A clock that stands still until it is told to go on. */
export class HandClock implements Clock {
  private at = 0;
  private timers: { readonly due: number; readonly call: () => void }[] = [];

  now = (): number => this.at;
  wall = (): string => new Date(Date.UTC(2026, 0, 1) + this.at).toISOString();

  after = (ms: number, call: () => void): (() => void) => {
    const timer = { due: this.at + ms, call };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((each) => each !== timer);
    };
  };

  /** Let time pass, with everything that is due on the way. */
  async pass(ms: number): Promise<void> {
    await settled();
    const end = this.at + ms;
    for (;;) {
      const [next] = this.timers.filter(({ due }) => due <= end).sort((one, other) => one.due - other.due);
      if (!next) break;
      this.at = next.due;
      this.timers = this.timers.filter((each) => each !== next);
      next.call();
      await settled();
    }
    this.at = end;
    await settled();
  }

  /** How long until the next thing is due. */
  wait(): number {
    return Math.min(...this.timers.map(({ due }) => due)) - this.at;
  }
}

/** Let everything that can go on now go on. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 200; turn++) await Promise.resolve();
}

/** The browser's storage, in memory; two pages may share one. */
export class FakeStorage {
  readonly values = new Map<string, string>();
  full = false;

  getItem = (key: string): string | null => this.values.get(key) ?? null;
  setItem = (key: string, value: string): void => {
    if (this.full) throw new Error('QuotaExceededError');
    this.values.set(key, value);
  };
  removeItem = (key: string): void => void this.values.delete(key);
}

export function aStore(storage = new FakeStorage()): Store {
  return openStore(() => storage as unknown as Storage);
}

export function aState(changes: Partial<SessionState> = {}): SessionState {
  return {
    stage: 'trials',
    next_practice: 3,
    next_trial: 1,
    debrief_done: [],
    lease: true,
    completion_code: null,
    withdrawal_code: null,
    ...changes,
  };
}

export function anEntry(path: string, acked = false): Entry {
  return { path, body: { visible_ms: 1 }, acked, waited: false };
}
