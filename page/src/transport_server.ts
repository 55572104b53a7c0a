/** The session on a server, over HTTP. */

import { Failure, type Transport } from './transport';
import type { Boot, Problem, ScreenedOut, SessionCreated, SessionState } from './wire.gen';

const PATIENCE_MS = 20_000;
/** Browsers refuse larger bodies to requests that may outlive the page. */
const KEEPALIVE_CHARACTERS = 30_000;

export function createServerTransport({ api, mode }: Boot, tab: string, newId: () => string): Transport {
  let request = newId(); // stays until it is answered, so that asking twice begins one session
  /** Ask, and give the answer only if it has the field expected: a hotel's login page is no acknowledgement. */
  const call = async <T>(method: string, path: string, body: object | null, field = ''): Promise<T> => {
    const giveUp = new AbortController();
    const timer = setTimeout(() => giveUp.abort(), PATIENCE_MS);
    const content = body && JSON.stringify(body);
    try {
      const answer = await fetch(api + path, {
        method,
        headers: { 'Content-Type': 'application/json', 'X-Limen-Mode': mode },
        body: content,
        cache: 'no-store',
        redirect: 'error',
        keepalive: content !== null && content.length < KEEPALIVE_CHARACTERS,
        signal: giveUp.signal,
      });
      const { status } = answer;
      if (status > 499 || status === 408 || status === 429) throw new Failure(0, '', Number(answer.headers.get('Retry-After')) * 1000 || 0);
      const text = await answer.text();
      if (!answer.ok) throw new Failure(status, typeOf(text));
      const value = (text ? JSON.parse(text) : {}) as T & object;
      if (field && !(field in value)) throw new Failure();
      return value;
    } catch (error) {
      throw error instanceof Failure ? error : new Failure();
    } finally {
      clearTimeout(timer);
    }
  };
  const at = (token: string): string => `/sessions/${encodeURIComponent(token)}`;

  return {
    async create(application) {
      const created = await call<SessionCreated | ScreenedOut>('POST', '/sessions', { ...application, tab, request });
      if (!('token' in created || 'screened_out' in created)) throw new Failure();
      request = newId();
      return created;
    },
    async open(token) {
      const state = await call<SessionState>('GET', `${at(token)}?tab=${tab}`, null, 'next_trial');
      if (state.stage === 'done' || state.stage === 'stopped') return state;
      return call('PUT', `${at(token)}/lease`, { tab, take_over: true }, 'next_trial');
    },
    trial: (token, number) => call('GET', `${at(token)}/trials/${number}`, null, 'response_b'),
    // Something counts as stored only when the answer says where the session stands now.
    put: (token, path, body) => call('PUT', `${at(token)}/${path}`, { ...body, tab }, 'next_trial'),
    complete: (token, main_task_ms) => call('PUT', `${at(token)}/completion`, { tab, main_task_ms }, 'next_trial'),
    count: (what) => call('POST', '/counts', { what }),
    release: (token) => void navigator.sendBeacon(`${api}${at(token)}/release?tab=${tab}`),
  };
}

/** Give the kind of a problem, if it is one that can be read. */
function typeOf(text: string): string {
  try {
    return String((JSON.parse(text) as Partial<Problem>).type);
  } catch {
    return '';
  }
}
