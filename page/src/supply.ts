/** Fetches the trials that come next, one by one, so that a lost line costs nothing. */

import type { Patience } from './patience';
import type { Failure } from './transport';
import type { TrialMessage } from './wire.gen';

export type Supply = ReturnType<typeof createSupply>;

export function createSupply(
  fetchTrial: (number: number) => Promise<TrialMessage>,
  loaded: (number: number) => void,
  ended: (failure: Failure) => void,
  patience: Patience,
) {
  const trials = new Map<number, TrialMessage>();
  let first = 1;
  let last = 0;
  let running = false;

  const missing = (): number => {
    let number = first;
    while (trials.has(number)) number += 1;
    return number;
  };

  const run = async (): Promise<void> => {
    if (running) return;
    running = true;
    try {
      while (missing() <= last) {
        let wanted = 0; // seen to anew at each asking: the server may have gone back
        const trial = await patience.reach(() => fetchTrial((wanted = missing())), (failure) => !failure.ends());
        trials.set(wanted, trial);
        loaded(wanted);
      }
    } catch (error) {
      ended(error as Failure); // only an end comes through
    }
    running = false;
  };

  return {
    get: (number: number): TrialMessage | undefined => trials.get(number),
    /** Have the trials from one to another here. */
    want(from: number, to: number): void {
      if (to !== last) patience.hurry();
      [first, last] = [from, to];
      void run();
    },
  };
}
