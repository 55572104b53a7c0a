/** How long the screen that is there has been visible, over reloads too. */

import { createStopwatch, milliseconds } from './clock';

/** The screens whose time is recorded; trials have their own, finer record. */
const TIMED = /^(consent|screening|instructions|break|strategy|demographics|thanks)$/;

export interface ScreenTime {
  readonly name: string;
  turn(visible: boolean, at: number): void;
  visibleMs(at: number): number;
}

/** Begin to time a screen, if its time is recorded; `before` is what is known of it from earlier visits. */
export function timeScreen(name: string, before: number, at: number): ScreenTime | null {
  if (!TIMED.test(name)) return null;
  const stopwatch = createStopwatch(at, false);
  return { name, turn: stopwatch.turn, visibleMs: (until) => milliseconds(before + stopwatch.read(until).visible_ms) };
}
