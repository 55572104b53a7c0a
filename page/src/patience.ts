/** Asks again, calmly, until there is an answer: longer pauses each time, some of it by chance. */

import type { Clock } from './clock';
import { Failure } from './transport';

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

/** Give how long to wait after so many failures: twice as long each time, half of it by chance. */
export function pauseAfter(failures: number, { retryAfterMs }: Failure, chance: () => number): number {
  const ceiling = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
  return Math.max(Math.min(retryAfterMs, 2 * LONGEST_PAUSE_MS), (ceiling * (1 + chance())) / 2);
}

export interface Patience {
  /** Ask until there is an answer; a failure for which `again` says no comes through. */
  reach<T>(ask: () => Promise<T>, again: (failure: Failure) => boolean): Promise<T>;
  /** Ask now whatever is being waited for. */
  hurry(): void;
  /** Ask nothing more. What was asked before is never answered, so that nothing can follow from it. */
  end(): void;
}

export function createPatience(clock: Clock, chance: () => number): Patience {
  const sleepers = new Set<() => void>();
  const never = new Promise<never>(() => undefined);
  let ended = false;

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const wake = (): void => {
        cancel();
        sleepers.delete(wake);
        resolve();
      };
      const cancel = clock.after(ms, wake);
      sleepers.add(wake);
    });
  const hurry = (): void => sleepers.forEach((wake) => wake());

  return {
    async reach(ask, again) {
      for (let failures = 1; !ended; failures++) {
        try {
          const answer = await ask();
          if (!ended) return answer;
        } catch (error) {
          if (!(error instanceof Failure) || (!ended && !again(error))) throw error;
          if (!ended) await pause(pauseAfter(failures, error, chance));
        }
      }
      return never;
    },
    hurry,
    end() {
      ended = true;
      hurry();
    },
  };
}
