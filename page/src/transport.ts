/** What the page needs from where its answers go: a server, or this browser alone. */

import type {
  Answer,
  Comment,
  Counted,
  Demographics,
  NewSession,
  Painted,
  ScreenedOut,
  ScreenTime,
  SessionCreated,
  SessionState,
  Stop,
  Strategy,
  TrialMessage,
} from './wire.gen';

/** What is written about a session; the tab is stamped on when it is sent. */
export type Body = Untabbed<Answer | Painted | ScreenTime | Strategy | Demographics | Comment | Stop>;

export type Untabbed<T> = T extends unknown ? Omit<T, 'tab'> : never;

/** Consent given and the screening answered. */
export type Application = Pick<NewSession, 'consent_version' | 'screening'>;

export interface Transport {
  /** Begin one session, however often it is asked for before there is an answer. */
  create(application: Application): Promise<SessionCreated | ScreenedOut>;
  /** Take the session up in this tab, from another one if need be. */
  open(token: string): Promise<SessionState>;
  trial(token: string, number: number): Promise<TrialMessage>;
  /** Write something by the last part of its address, such as "trials/7". */
  put(token: string, path: string, body: Body): Promise<SessionState | null>;
  complete(token: string, mainTaskMs: number | null): Promise<SessionState>;
  count(what: Counted['what']): Promise<void>;
  release(token: string): void;
}

/**
 * What was asked was not done. Status 0: there was no answer, or none that can be trusted, so it can be asked again;
 * otherwise the server understood and said no.
 */
export class Failure extends Error {
  constructor(
    readonly status: number = 0,
    readonly type: string = '',
    readonly retryAfterMs: number = 0,
  ) {
    super(type);
  }

  /**
   * Tell whether this tab is done with the session: another one has it, or it is over. Only the survey's own word counts:
   * whatever stands in between (a proxy, a hotel's login page) may say 404 or 410 of a session that is well.
   */
  ends(): boolean {
    return /#(held-elsewhere|unknown-session|withdrawn|too-old|restart|blocked|study-changed)$/.test(this.type);
  }

  /** Tell whether the problem is of this kind, such as "held-elsewhere". */
  is(kind: string): boolean {
    return this.type.endsWith(`#${kind}`);
  }
}
