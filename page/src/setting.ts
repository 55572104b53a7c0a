/** What differs between the page of a server and the page on disk. */

import type { Screened } from './screens/beginning';
import type { View } from './screens/view';
import type { DailyCount } from './wire.gen';

export interface Setting {
  /** Find the session of this browser and take it up. */
  open(takeOver: boolean): void;
  /** Begin a session. */
  create(screening: Screened): void;
  /** Everything is answered: see to it that it arrives. */
  finish(): void;
  /** The answers are deleted: nothing is to stay behind. */
  forget(): void;
  /** Count someone who has no session yet, once until there is one. */
  count(what: DailyCount): void;
  /** Give the address at which a participant can have the answers deleted. */
  withdrawalLink(code: string): string;
  readonly disk: OnDisk | null;
}

/** What only the page on disk has. */
export interface OnDisk {
  /** The screen that asks for the code of the invitation. */
  codeView(): View;
  /** The screen that asks to save the file. */
  handOverView(): View;
  /** Offer the answers so far as a file. */
  saveFile(): void;
  /** Delete what this browser keeps, after asking. */
  deleteLocal(): void;
}
