/** Which plan of the static page a participant has: by a code from the address or typed, or drawn. */

import { randomShare } from './chance';
import type { Invitation } from './session';
import type { StaticBoot } from './wire.gen';

/** Find the plan of a code, however it was typed; null when there is none. */
export function invitationOf(boot: StaticBoot, typed: string): Invitation | null {
  const wanted = typed.replace(/^#/, '').trim().toUpperCase();
  const plan = boot.plans.find(({ code }) => code.toUpperCase() === wanted);
  return plan ? { code: plan.code, drawn: false } : null;
}

/** Draw a plan for someone without a code: the one lot that is ever drawn in the page. */
export function drawInvitation(boot: StaticBoot): Invitation | null {
  const plan = boot.plans[Math.floor(randomShare() * boot.plans.length)];
  return plan ? { code: plan.code, drawn: true } : null;
}

/** Give the key under which the session of an invitation is kept. */
export function keyOf(boot: StaticBoot, { code, drawn }: Invitation): string {
  return `survey/${boot.study_id}/${drawn ? 'drawn' : `code/${code}`}`;
}
