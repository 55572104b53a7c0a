/**
 * What is written about a session, in order: kept before it is sent, sent one at a time, never dropped.
 *
 * Acknowledged entries stay. Should a server come back from a backup and miss them, they are sent again.
 */

import type { Patience } from './patience';
import { Failure, type Body } from './transport';
import type { SessionState } from './wire.gen';

export interface Entry {
  readonly path: string; // "trials/7", "debrief/strategy", …: the key, and the address
  readonly body: Body;
  acked: boolean;
  waited: boolean; // could not be sent at once
}

/** How sending goes: well, or not, by the status of the failure; 0 when there is no connection. */
export type Mood = 'clear' | number;

/** What the outbox needs, and whom it tells. */
export interface Surroundings {
  send(entry: Entry): Promise<SessionState | null>;
  /** Ask the server where the session stands. */
  ask(): Promise<SessionState>;
  /** Keep the entries; false when this tab may not write any more. */
  keep(): boolean;
  /** An entry is settled; the state is what the server told, if it did. */
  told(state: SessionState | null): void;
  /** The session is not ours to write any more: another tab has it, or it is over. */
  ended(failure: Failure): void;
  moodChanged(mood: Mood): void;
}

export type Outbox = ReturnType<typeof createOutbox>;

/** `nextTrial` is the trial that the server waits for. */
export function createOutbox(entries: Entry[], nextTrial: number, around: Surroundings, patience: Patience) {
  let running = false;
  let mood: Mood = 'clear';

  const has = (path: string): boolean => entries.some((entry) => entry.path === path);

  const feel = (felt: Mood): void => {
    if (felt !== mood) around.moodChanged((mood = felt));
  };

  /** The oldest entry that may be sent; a trial may only when the server waits for it. */
  const next = (): Entry | undefined =>
    entries.find(({ acked, path }) => !acked && (trialOf(path) ?? nextTrial) === nextTrial);

  const accept = (state: SessionState): void => {
    nextTrial = state.next_trial;
    reconcile(entries, state);
  };

  /** Put right what a refusal says can be put right; otherwise let it through. */
  const settle = async (entry: Entry, error: unknown): Promise<SessionState | null> => {
    if (!(error instanceof Failure) || error.status !== 409 || error.ends()) throw error;
    if (!/^(trials|practice)/.test(entry.path) && !error.is('out-of-order')) {
      entry.acked = true; // the server has its own word on this already, and the first word stands
      return null;
    }
    const state = await around.ask();
    accept(state);
    if (next() === entry) throw error;
    return state;
  };

  const deliver = async (entry: Entry): Promise<SessionState | null> => {
    try {
      const state = await around.send(entry);
      entry.acked = true;
      if (state) nextTrial = state.next_trial;
      return state;
    } catch (error) {
      return settle(entry, error);
    }
  };

  const failed = (failure: Failure): boolean => {
    if (failure.ends()) return false;
    for (const entry of entries) entry.waited ||= !entry.acked;
    around.keep();
    feel(failure.status);
    return true;
  };

  const run = async (): Promise<void> => {
    if (running) return;
    running = true;
    try {
      for (let entry = next(); entry; entry = next()) {
        const one = entry;
        const state = await patience.reach(() => deliver(one), failed);
        if (!around.keep()) return;
        around.told(state);
      }
      feel('clear');
    } catch (error) {
      around.ended(error as Failure); // only an end comes through
    }
    running = false;
  };

  return {
    has,
    /** Keep an entry, then send it unless it needs no sending. The first of a path wins; false: it was not taken. */
    add(path: string, body: Body, acked = false): boolean {
      if (has(path)) return false;
      entries.push({ path, body, acked, waited: mood !== 'clear' });
      if (!around.keep()) {
        entries.pop();
        return false;
      }
      void run();
      return true;
    },
    /** Tell whether everything is acknowledged. */
    isEmpty: (): boolean => entries.every(({ acked }) => acked),
    /** Give the trial that the server waits for. */
    expected: (): number => nextTrial,
    /** Forget what was to be sent: the participant wants it deleted. */
    forget(): void {
      entries.length = 0;
    },
    /** Take the server's word on what it has, and send what it misses. */
    resume(state: SessionState): void {
      accept(state);
      void run();
    },
  };
}

/** Mark each entry as acknowledged or not, by what the server says it has. */
export function reconcile(entries: readonly Entry[], state: SessionState): void {
  for (const entry of entries) {
    const [kind, name = ''] = entry.path.split('/');
    if (kind === 'trials') entry.acked = Number(name) < state.next_trial;
    if (kind === 'practice') entry.acked = Number(name) < state.next_practice;
    if (kind === 'debrief') entry.acked = state.debrief_done.includes(name);
  }
}

/** Give the number of the trial that a path is about, or null. */
function trialOf(path: string): number | null {
  return path.startsWith('trials/') ? Number(path.slice('trials/'.length)) : null;
}
