import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLease } from '../src/lease';
import type { Event } from '../src/machine';
import type { Mood } from '../src/outbox';
import { createSession } from '../src/session';
import { Failure, type Body, type Transport } from '../src/transport';
import type { BlindedStudy, SessionState } from '../src/wire.gen';
import { aState, aStore, FakeStorage, HandClock, settled } from './stand_ins';

const STUDY = { trial_count: 3, prefetch: 2, consent_version: 'v1', practice: [] } as unknown as BlindedStudy;
const BODY = { visible_ms: 1, attempts: [] };
const SCREENED = { adult: 'yes' } as const;

/** A server for one session, which can be told to fail the next request of a kind. */
class Server implements Transport {
  readonly stored: string[] = [];
  readonly faults = new Map<string, Failure[]>();
  readonly log: string[] = [];
  readonly bodies = new Map<string, Body>(); // as they were sent last
  stage: SessionState['stage'] = 'trials';

  create = async () => this.answer('create', () => ({ token: 'T', state: this.state() }));
  open = async () => this.answer('open', this.state);
  trial = async (_token: string, number: number) =>
    this.answer(`trial/${number}`, () => ({ token: `t${number}`, context: '', response_a: '', response_b: '', pad: '' }));
  put = async (_token: string, path: string, body: Body) =>
    this.answer(path, () => {
      this.bodies.set(path, body);
      if (!this.stored.includes(path)) this.stored.push(path);
      return this.state();
    });
  complete = async () =>
    this.answer('complete', () => {
      if (this.state().next_trial <= STUDY.trial_count) throw new Failure(409, '#incomplete');
      this.stage = 'done';
      return this.state();
    });
  count = async () => undefined;
  release = () => void this.log.push('release');

  state = (): SessionState =>
    aState({
      stage: this.stage,
      next_practice: 1,
      next_trial: this.stored.filter((path) => path.startsWith('trials/')).length + 1,
      completion_code: this.stage === 'done' ? 'C' : null,
    });

  private async answer<T>(what: string, give: () => T): Promise<T> {
    this.log.push(what);
    await Promise.resolve();
    const fault = this.faults.get(what)?.shift();
    if (fault) throw fault;
    return give();
  }
}

function aSession(server: Server, storage = new FakeStorage(), tab = 'one') {
  const store = aStore(storage);
  const clock = new HandClock();
  const events: Event[] = [];
  const moods: Mood[] = [];
  let outdated = 0;
  const listener = {
    study: STUDY,
    store,
    clock,
    happened: (event: Event) => void events.push(event),
    moodChanged: (mood: Mood) => void moods.push(mood),
    acknowledged: () => undefined,
    outdated: () => void outdated++,
  };
  const lease = createLease(store, 'lease', tab, () => 0);
  const session = createSession(server, lease, () => 0.5, listener);
  const last = (): Event | undefined => events[events.length - 1];
  return { session, clock, events, moods, last, outdated: () => outdated };
}

async function begun(server = new Server(), storage = new FakeStorage()) {
  const made = aSession(server, storage);
  made.session.open('key', false);
  made.session.create(SCREENED, { code: '', drawn: false }, { consent: 10 });
  await settled();
  return made;
}

test('those without a session are invited, and a new one begins with the screens already seen', async () => {
  const server = new Server();
  const { events, session } = await begun(server);
  assert.deepEqual(events.map(({ type }) => type), ['invited', 'resumed', 'resumed']);
  assert.deepEqual(server.stored, ['screens/consent']);
  assert.equal(session.saved()?.token, 'T');
});

test('a session that cannot be begun yet is asked for until it can, and says so', async () => {
  const server = new Server();
  server.faults.set('create', [new Failure(), new Failure(422, '#invalid')]);
  const { clock, moods, last } = await begun(server);
  assert.deepEqual(moods, [0]);
  await clock.pass(5000);
  assert.deepEqual(moods, [0, 422, 'clear']);
  assert.equal(last()?.type, 'resumed');
});

test('a consent text that changed is read again', async () => {
  const server = new Server();
  server.faults.set('create', [new Failure(409, '#consent-changed')]);
  const { outdated, session } = await begun(server);
  assert.equal(outdated(), 1);
  assert.equal(session.saved(), null);
});

test('the completion comes once everything is acknowledged', async () => {
  const server = new Server();
  const { session, last } = await begun(server);
  for (const number of [1, 2, 3]) session.write(`trials/${number}`, BODY);
  session.complete();
  assert.equal(server.log.includes('complete'), false);
  await settled();
  session.complete();
  session.complete();
  await settled();
  assert.equal(server.log.filter((what) => what === 'complete').length, 1);
  assert.deepEqual(last(), { type: 'completed', codes: { completion: 'C', withdrawal: null } });
});

test('a completion that misses a row sends it again', async () => {
  const server = new Server();
  const { session, clock, last } = await begun(server);
  for (const number of [1, 2, 3]) session.write(`trials/${number}`, BODY);
  await settled();
  server.stored.pop();
  session.complete();
  await clock.pass(2000);
  assert.deepEqual(server.stored, ['screens/consent', 'trials/1', 'trials/2', 'trials/3']);
  session.complete();
  await settled();
  assert.equal(last()?.type, 'completed');
});

test('a reload finds everything, sent or not', async () => {
  const server = new Server();
  const storage = new FakeStorage();
  const { session } = await begun(server, storage);
  server.faults.set('trials/2', [new Failure()]);
  session.write('trials/1', BODY);
  session.write('trials/2', BODY);
  await settled();
  session.rest();
  const again = aSession(server, storage, 'two');
  again.session.open('key', false);
  await settled();
  assert.deepEqual(server.stored, ['screens/consent', 'trials/1', 'trials/2']);
  const [resumed] = again.events;
  assert.ok(resumed?.type === 'resumed');
  assert.equal(resumed.progress.trial, 3);
});

test('a stranger\'s 404 or 410 loses nothing, whatever was asked, before or after a reload', async () => {
  for (const status of [404, 410]) {
    const server = new Server();
    const storage = new FakeStorage();
    const { session, clock, moods, last } = await begun(server, storage);
    for (const what of ['trials/1', 'trial/2']) server.faults.set(what, [new Failure(status), new Failure(status)]);
    session.stock(2);
    session.write('trials/1', BODY);
    await settled();
    assert.deepEqual(moods, [status]);
    assert.equal(last()?.type, 'resumed');
    session.rest();
    server.faults.set('open', [new Failure(status)]);
    const again = aSession(server, storage, 'two');
    again.session.open('key', false);
    await settled();
    assert.deepEqual(again.events, []);
    assert.ok(storage.getItem('key')?.includes('trials/1'));
    await again.clock.pass(60_000);
    await clock.pass(60_000);
    assert.deepEqual(server.stored, ['screens/consent', 'trials/1']);
    assert.equal(again.last()?.type, 'resumed');
  }
});

test('trial 1 says that it waited when the word of its painting did', async () => {
  for (const faults of [[], [new Failure()]]) {
    const server = new Server();
    const { session, clock } = await begun(server);
    server.faults.set('painted', [...faults]);
    session.write('painted', { client_time: '' });
    await clock.pass(5000);
    for (const number of [1, 2]) session.write(`trials/${number}`, { ...BODY, queued_offline: false } as unknown as Body);
    await settled();
    const queued = [1, 2].map((number) => (server.bodies.get(`trials/${number}`) as { queued_offline?: boolean }).queued_offline);
    assert.deepEqual(queued, [faults.length > 0, false]);
  }
});

test('while one tab holds the session another writes nothing, and taking over ends that', async () => {
  const server = new Server();
  const storage = new FakeStorage();
  const one = await begun(server, storage);
  const two = aSession(server, storage, 'two');
  two.session.open('key', false);
  assert.equal(two.last()?.type, 'held_elsewhere');
  two.session.open('key', true);
  await settled();
  assert.equal(two.last()?.type, 'resumed');
  assert.equal(one.session.write('trials/1', BODY), false);
  assert.equal(one.last()?.type, 'held_elsewhere');
  assert.ok(two.session.write('trials/1', BODY));
});

test('a session that is gone is told by whatever asks first, and nothing is asked after that', async () => {
  for (const [status, kind, type] of [[410, 'too-old', 'closed'], [404, 'unknown-session', 'not_found'], [410, 'restart', 'invited'], [410, 'withdrawn', 'stopped']] as const) {
    const server = new Server();
    const { session, clock, last } = await begun(server);
    server.faults.set('trial/1', [new Failure(status, `#${kind}`)]);
    session.stock(1);
    await settled();
    assert.equal(last()?.type, type);
    const asked = server.log.length;
    await clock.pass(100_000);
    assert.equal(server.log.length, asked);
    assert.equal(session.saved() === null, kind === 'restart' || kind === 'withdrawn');
  }
});

test('deleting forgets what was not sent, and is over when the server says so', async () => {
  const server = new Server();
  const storage = new FakeStorage();
  const { session, clock, last } = await begun(server, storage);
  server.faults.set('trials/1', [new Failure(), new Failure()]);
  server.faults.set('stop', [new Failure()]);
  session.write('trials/1', BODY);
  session.write('trials/2', BODY);
  await settled();
  session.stop(false);
  assert.equal(storage.getItem('key')?.includes('trials/2'), false);
  await clock.pass(30_000);
  assert.deepEqual(last(), { type: 'stopped', keep: false, withdrawal: null });
  assert.equal(server.stored.includes('trials/2'), false);
  assert.equal(storage.getItem('key'), null);
});

test('stopping with the answers kept sends them first', async () => {
  const server = new Server();
  const { session, clock, last } = await begun(server);
  server.faults.set('trials/1', [new Failure()]);
  session.write('trials/1', BODY);
  await settled();
  session.stop(true);
  await clock.pass(5000);
  assert.deepEqual(server.stored, ['screens/consent', 'trials/1', 'stop']);
  assert.deepEqual(last(), { type: 'stopped', keep: true, withdrawal: null });
});
