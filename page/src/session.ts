/** A session as this tab holds it: what is kept, what is sent, what comes; it tells the machine what happened. */

import type { Clock } from './clock';
import type { Lease } from './lease';
import type { Event } from './machine';
import { createOutbox, type Entry, type Mood, type Outbox } from './outbox';
import { createPatience } from './patience';
import { mainTaskMs, progressOf, readSaved, type Saved } from './record';
import type { Store } from './storage';
import { createSupply, type Supply } from './supply';
import { Failure, type Body, type Transport } from './transport';
import type { BlindedStudy, SessionState, TrialMessage } from './wire.gen';

/** What the session needs, and whom it tells. */
export interface Listener {
  readonly study: BlindedStudy;
  readonly store: Store;
  readonly clock: Clock;
  happened(event: Event): void;
  moodChanged(mood: Mood): void;
  /** Something that was sent is stored. */
  acknowledged(): void;
  /** The consent text on this page is not the current one any more. */
  outdated(): void;
}

/** Which plan of the static page; empty when a server has the plan. */
export interface Invitation {
  readonly code: string;
  readonly drawn: boolean;
}

/** What is kept but not sent. */
export type Notes = Partial<Pick<Saved, 'open' | 'rested' | 'draft' | 'finished' | 'handedOver' | 'screens'>>;

export type Session = ReturnType<typeof createSession>;

export function createSession(transport: Transport, lease: Lease, chance: () => number, listener: Listener) {
  const { study, store, clock, happened, moodChanged, acknowledged, outdated } = listener;
  let key = '';
  let saved: Saved | null = null;
  let outbox: Outbox | null = null;
  let supply: Supply | null = null;
  let patience = createPatience(clock, chance);
  let completing = false;
  let holding = false; // this tab has the lease, as far as it knows

  /** Let go of everything under way; what was asked before leads to nothing any more. */
  const shut = (): void => {
    patience.end();
    patience = createPatience(clock, chance);
    outbox = supply = null;
    completing = false;
  };

  const lose = (): void => {
    shut();
    holding = false;
    happened({ type: 'held_elsewhere' });
  };

  const wipe = (): void => {
    shut();
    saved = null;
    store.remove(key);
  };

  /** Put everything into the browser's storage, unless another tab has the session by now. */
  const keep = (): boolean => {
    if (holding && !lease.holds()) lose();
    if (holding && saved) store.set(key, JSON.stringify(saved));
    return holding;
  };

  const note = (change: Notes): void => {
    if (saved) Object.assign(saved, change);
    keep();
  };

  /** This tab is done with the session, or never got one. */
  const ended = (failure: Failure): void => {
    shut();
    if (failure.is('held-elsewhere')) lose();
    else if (failure.is('withdrawn')) {
      wipe();
      happened({ type: 'stopped', keep: false });
    } else if (failure.is('restart')) {
      wipe();
      happened({ type: 'invited' });
    } else if (failure.is('consent-changed')) outdated();
    else happened({ type: failure.is('unknown-session') ? 'not_found' : 'closed' });
  };

  /** Ask, again and again if need be, and go on with the answer; after an end nothing follows. */
  const reach = async <T>(ask: () => Promise<T>, then: (answer: T) => void): Promise<void> => {
    let failed = false;
    const again = (failure: Failure): boolean => {
      failed = !failure.ends() && !failure.is('consent-changed');
      if (failed) moodChanged(failure.status);
      return failed;
    };
    try {
      const answer = await patience.reach(ask, again);
      if (failed) moodChanged('clear');
      then(answer);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      ended(error);
    }
  };

  const told = (kept: Saved, state: SessionState | null): void => {
    const stop = kept.entries.find(({ path }) => path === 'stop');
    if (stop?.acked) {
      const { keep } = stop.body as { readonly keep: boolean };
      if (keep) shut();
      else wipe();
      happened({ type: 'stopped', keep, withdrawal: state?.withdrawal_code ?? null });
    } else if (state && !stop) takeUp(kept, state, false);
    acknowledged();
  };

  const start = (kept: Saved, state: SessionState): Outbox => {
    const { token } = kept;
    const around = {
      send: (entry: Entry) => transport.put(token, entry.path, bodyOf(entry, kept.entries)),
      ask: () => transport.open(token),
      keep,
      told: (news: SessionState | null) => told(kept, news),
      ended,
      moodChanged,
    };
    supply = createSupply(
      (number) => transport.trial(token, number),
      (trial) => happened({ type: 'loaded', trial }),
      ended,
      patience,
    );
    return createOutbox(kept.entries, state.next_trial, around, patience);
  };

  /** Go on from where the server says the session stands; asked for it afresh, what it misses is sent again. */
  const takeUp = (kept: Saved, state: SessionState, afresh = true): void => {
    const { completion_code: completion, withdrawal_code: withdrawal } = state;
    if (state.stage === 'done') return happened({ type: 'completed', codes: { completion, withdrawal } });
    if (state.stage === 'stopped') return happened({ type: 'stopped', keep: true, withdrawal });
    outbox ??= start(kept, state);
    const sending = outbox;
    if (sending.has('stop')) happened({ type: 'stop_pending' });
    else happened({ type: 'resumed', progress: progressOf(kept, state) });
    if (afresh) sending.resume(state);
  };

  const write = (path: string, body: Body, acked = false): boolean => outbox?.add(path, body, acked) ?? false;

  return {
    saved: (): Saved | null => saved,
    /** Keep something about the session and send it, unless it needs no sending; false when it was not taken. */
    write,
    /** Change what is kept but not sent. */
    note,
    /** Delete everything that this browser keeps of the session. */
    wipe,
    trial: (number: number): TrialMessage | undefined => supply?.get(number),

    /** Take up what was kept under a key, or find that there is nothing yet. */
    open(where: string, takeOver: boolean): void {
      shut();
      if (takeOver) lease.takeOver();
      holding = lease.acquire();
      if (!holding) return happened({ type: 'held_elsewhere' });
      key = where;
      const kept = (saved = readSaved(store, key));
      if (kept) void reach(() => transport.open(kept.token), (state) => takeUp(kept, state));
      else happened({ type: 'invited' });
    },

    /** Begin a session with consent given and the screening answered. */
    create(screening: Saved['screening'], { code, drawn }: Invitation, screens: Readonly<Record<string, number>>): void {
      const { consent_version } = study;
      void reach(() => transport.create({ consent_version, screening }), (created) => {
        if ('screened_out' in created) return happened({ type: 'screened_out' });
        const { token, state } = created;
        const started = clock.wall();
        const entries = Object.entries(screens).map(([name, visible_ms]) => screenEntry(name, visible_ms));
        const fresh = { finished: null, handedOver: false, rested: false, open: null, draft: {}, screens: {} };
        const begun = { token, code, drawn, consent_version, screening, started, entries, ...fresh };
        saved = begun;
        outbox = start(begun, state);
        if (keep()) takeUp(begun, state);
      });
    },

    /** Keep a judgment and send it; the trial is not under way any more. */
    judge(path: string, answer: Body): boolean {
      if (saved) saved.open = null;
      return write(path, answer);
    },

    /** Fetch what comes next, as far as the server gives it. */
    stock(nextTrial: number): void {
      if (outbox) supply?.want(nextTrial, Math.min(study.trial_count, outbox.expected() + study.prefetch - 1));
    },

    /** Ask for the completion once every row is acknowledged; where one is missing, go back to it. */
    complete(): void {
      const kept = saved;
      if (completing || !kept || !outbox?.isEmpty()) return;
      completing = true;
      const ask = async (): Promise<SessionState> => {
        try {
          return await transport.complete(kept.token, mainTaskMs(kept, study.trial_count));
        } catch (error) {
          if (!(error instanceof Failure) || error.status !== 409 || error.ends()) throw error;
          return transport.open(kept.token);
        }
      };
      void reach(ask, (state) => {
        const go = (): void => {
          if (completing) takeUp(kept, state);
          completing = false;
        };
        if (state.stage === 'done') go();
        else clock.after(INCOMPLETE_PAUSE_MS, go);
      });
    },

    /** Stop, with the answers kept or deleted; what was not sent yet is sent first, or forgotten. */
    stop(wanted: boolean): void {
      if (!wanted) {
        outbox?.forget();
        note({ open: null, draft: {} });
      }
      write('stop', { keep: wanted });
    },

    /** Try everything that waits, now. */
    kick: (): void => patience.hurry(),

    /** Say that this tab is still there. */
    renew(): void {
      if (holding && !lease.renew()) lose();
    },

    /** Nothing is to be written any more, by this tab: another may have the session. */
    rest(): void {
      if (saved && holding) transport.release(saved.token);
      lease.release();
      holding = false;
      shut();
    },

    /** Send something that is no loss if it does not arrive. */
    mention(path: string, body: Body): void {
      if (saved) transport.put(saved.token, path, body).catch(() => undefined);
    },
  };
}

const INCOMPLETE_PAUSE_MS = 1000;

function screenEntry(name: string, visible_ms: number): Entry {
  return { path: `screens/${name}`, body: { visible_ms }, acked: false, waited: false };
}

/**
 * Judgments say whether they had to wait; nothing else about them changes after they were kept. Trial 1 says so as well
 * when the word that it stood on the screen had to wait: the server's clock of the main task began too late then.
 */
function bodyOf({ path, body, waited }: Entry, entries: readonly Entry[]): Body {
  if (!('queued_offline' in body)) return body;
  const late = path === 'trials/1' && entries.some((entry) => entry.path === 'painted' && entry.waited);
  return { ...body, queued_offline: waited || late };
}
