/** What the browser keeps of a session, so that a reload, a crash or a lost line loses nothing. */

import type { Entry } from './outbox';
import type { Store } from './storage';
import type { Debrief, Progress } from './machine';
import type { Answer, Attempt, ScreenTime, SessionState } from './wire.gen';

/** A trial under way: what a reload must not lose. */
export interface OpenTrial {
  readonly path: string;
  readonly attempts: readonly Attempt[];
  readonly focus_losses: number;
  readonly focus_lost_ms: number;
  readonly copies: number;
  readonly seen: string; // a 0 or 1 for each slice of Response B
}

export interface Saved {
  readonly token: string; // the session's token; in the static page the response id
  readonly code: string; // the plan of the static page, or empty
  readonly drawn: boolean; // the static page drew the plan
  readonly consent_version: string;
  readonly screening: Readonly<Record<string, 'yes' | 'no'>>;
  readonly started: string;
  finished: string | null; // static page only: the server knows it otherwise
  handedOver: boolean; // static page only: the file was saved
  rested: boolean;
  open: OpenTrial | null;
  draft: Readonly<Record<string, string>>; // what is filled in but not yet sent
  screens: Readonly<Record<string, number>>; // visible milliseconds of screens not yet left
  readonly entries: Entry[];
}

/** Read what was kept under a key; what cannot be read counts as nothing. */
export function readSaved(store: Store, key: string): Saved | null {
  try {
    const saved = JSON.parse(store.get(key) ?? 'null') as Saved | null;
    return saved && typeof saved.token === 'string' && Array.isArray(saved.entries) ? saved : null;
  } catch {
    return null;
  }
}

/** Tell how far the participant has come: what the server has, and what waits to be sent. */
export function progressOf(saved: Saved, state: SessionState): Progress {
  const paths = new Set(saved.entries.map((entry) => entry.path));
  const after = (kind: string, first: number): number => {
    let number = first;
    while (paths.has(`${kind}/${number}`)) number += 1;
    return number;
  };
  const parts: readonly Debrief[] = ['strategy', 'demographics', 'comment'];
  return {
    begun: paths.has('screens/instructions'),
    practice: after('practice', state.next_practice),
    trial: after('trials', state.next_trial),
    rested: saved.rested,
    debriefed: parts.filter(
      (part) => paths.has(part) || paths.has(`debrief/${part}`) || state.debrief_done.includes(part),
    ),
  };
}

/** Give the visible milliseconds of every screen, left or not. */
export function screensOf(saved: Saved): Record<string, number> {
  const screens = { ...saved.screens };
  for (const { path, body } of saved.entries) {
    if (path.startsWith('screens/')) screens[path.slice('screens/'.length)] = (body as ScreenTime).visible_ms;
  }
  return screens;
}

/**
 * Give the time from the first trial painted to the last answer, by the monotonic clock, or null while answers are
 * missing. Time with the page closed is not in it.
 */
export function mainTaskMs(saved: Saved, trialCount: number): number | null {
  const answers = saved.entries.filter(({ path }) => path.startsWith('trials/')).map(({ body }) => body as Answer);
  if (answers.length < trialCount) return null;
  const attempts = answers.flatMap((answer) => answer.attempts);
  return attempts.reduce((sum, { visible_ms, hidden_ms }) => sum + visible_ms + hidden_ms, screensOf(saved)['break'] ?? 0);
}
