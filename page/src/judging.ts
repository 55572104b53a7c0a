/** One trial being judged: its attempts, absences, copies, and how much of Response B was on the screen. */

import { createStopwatch, milliseconds } from './clock';
import type { OpenTrial } from './record';
import type { Untabbed } from './transport';
import type { Answer, InputKind, Response, Viewport } from './wire.gen';

/** Into how many slices of equal height Response B is cut to see which were on the screen. */
export const SLICES = 50;

/** Sooner than this after the paint nobody has read anything: it is the second half of a double click or tap. */
const SETTLE_MS = 300;

const MOST_ATTEMPTS = 1000;
const LARGEST_COUNT = 100_000;

/** How an answer was given. */
export interface Given {
  readonly response: Response;
  readonly client_time: string;
  readonly input: InputKind;
  readonly viewport: Viewport;
}

export type Judging = ReturnType<typeof createJudging>;

/** Begin an attempt at the moment the trial stands on the screen; `saved` may hold earlier ones. */
export function createJudging(path: string, saved: OpenTrial | null, paintedAt: number, started: string, visible: boolean) {
  const before = saved?.path === path ? saved : null;
  const stopwatch = createStopwatch(paintedAt, visible);
  const seen = Array.from({ length: SLICES }, (_, slice) => Number(before?.seen[slice] ?? 0));
  let losses = before?.focus_losses ?? 0;
  let lostMs = before?.focus_lost_ms ?? 0;
  let copies = before?.copies ?? 0;
  let awaySince: number | null = null;

  /** Give all that is known up to now, for the browser to keep. */
  const snapshot = (at: number): OpenTrial => ({
    path,
    attempts: [...(before?.attempts ?? []), { ...stopwatch.read(at), started }].slice(-MOST_ATTEMPTS),
    focus_losses: Math.min(losses, LARGEST_COUNT),
    focus_lost_ms: milliseconds(lostMs + (awaySince === null ? 0 : at - awaySince)),
    copies: Math.min(copies, LARGEST_COUNT),
    seen: seen.join(''),
  });

  return {
    path,
    snapshot,
    /** Tell whether an answer given at this moment can be meant. */
    settled: (at: number): boolean => at >= paintedAt + SETTLE_MS,
    /** The trial came into view, or went out of it. */
    turn: stopwatch.turn,
    /** The page lost the focus. */
    leave(at: number): void {
      if (awaySince === null) losses += 1;
      awaySince ??= at;
    },
    /** The page has the focus again. */
    comeBack(at: number): void {
      lostMs += at - (awaySince ?? at);
      awaySince = null;
    },
    copied(): void {
      copies += 1;
    },
    /** A slice of Response B is on the screen. */
    saw(slice: number): void {
      seen[slice] = 1;
    },
    /** Give the answer, as it is stored. The response time is visible time over all attempts. */
    answer(at: number, given: Given): Untabbed<Answer> {
      const { attempts, focus_losses, focus_lost_ms } = snapshot(at);
      return {
        ...given,
        response_time_ms: milliseconds(attempts.reduce((sum, attempt) => sum + attempt.visible_ms, 0)),
        queued_offline: false,
        attempts,
        focus_losses,
        focus_lost_ms,
        copies: Math.min(copies, LARGEST_COUNT),
        b_seen: seen.filter(Boolean).length / SLICES,
      };
    },
  };
}
