/** Time: the monotonic clock for durations, the wall clock only to say when. */

export interface Clock {
  /** Milliseconds on a clock that nobody can set. */
  now(): number;
  /** The time of day in UTC, as ISO 8601 has it. */
  wall(): string;
  /** Call back after some milliseconds; the answer cancels it. */
  after(ms: number, call: () => void): () => void;
}

export const browserClock: Clock = {
  now: () => performance.now(),
  wall: () => new Date().toISOString(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

/** The longest duration that crosses the wire: thirty days. */
const LONGEST_MS = 30 * 24 * 3600 * 1000;

/** Round to whole milliseconds within what the wire allows. */
export function milliseconds(duration: number): number {
  return Math.min(LONGEST_MS, Math.max(0, Math.round(duration)));
}

/** Call back at the second animation frame from now, when what was inserted before stands on the screen. */
export function atSecondFrame(call: (at: number) => void): () => void {
  let frame = requestAnimationFrame(() => {
    frame = requestAnimationFrame(call);
  });
  return () => cancelAnimationFrame(frame);
}

/** Give an event's own time, or the clock's where a browser stamps events by another clock. */
export function timeOf(event: Event, now: number): number {
  return event.timeStamp > 0 && event.timeStamp <= now + 1 ? event.timeStamp : now;
}

export interface Split {
  readonly visible_ms: number;
  readonly hidden_ms: number;
}

export interface Stopwatch {
  /** From `at` on, time counts as visible or as hidden. */
  turn(visible: boolean, at: number): void;
  /** Give both sums up to `at`. */
  read(at: number): Split;
}

/** Split time into visible and hidden. It reads no clock: each moment is told. */
export function createStopwatch(since: number, visible: boolean): Stopwatch {
  let visibleMs = 0;
  let hiddenMs = 0;
  const turn = (next: boolean, at: number): void => {
    const elapsed = Math.max(0, at - since);
    if (visible) visibleMs += elapsed;
    else hiddenMs += elapsed;
    since += elapsed;
    visible = next;
  };
  return {
    turn,
    read(at) {
      turn(visible, at);
      return { visible_ms: milliseconds(visibleMs), hidden_ms: milliseconds(hiddenMs) };
    },
  };
}
