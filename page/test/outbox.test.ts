import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOutbox, reconcile, type Entry, type Mood } from '../src/outbox';
import { createPatience, pauseAfter } from '../src/patience';
import { createSupply } from '../src/supply';
import { Failure } from '../src/transport';
import type { SessionState, TrialMessage } from '../src/wire.gen';
import { anEntry, aState, HandClock, settled } from './stand_ins';

/** A server that keeps what it is sent, first write first, and fails when it is told to. */
class Server {
  readonly stored: string[] = [];
  readonly log: string[] = [];
  readonly faults: (Error | 'lost answer')[] = [];
  nextTrial = 1;
  waitedAt: boolean[] = [];

  send = async (entry: Entry): Promise<SessionState | null> => {
    this.log.push(entry.path);
    await Promise.resolve();
    const fault = this.faults.shift();
    if (fault instanceof Error) throw fault;
    const number = entry.path.startsWith('trials/') ? Number(entry.path.slice(7)) : null;
    if (number !== null && number > this.nextTrial) throw refusal(409, 'out-of-order');
    if (!this.stored.includes(entry.path)) {
      this.stored.push(entry.path);
      this.waitedAt.push(entry.waited);
      if (number !== null) this.nextTrial = number + 1;
    }
    if (fault === 'lost answer') throw new Failure();
    return this.state();
  };

  state = (): SessionState => aState({ next_trial: this.nextTrial, next_practice: 3 });
}

function refusal(status: number, kind: string): Failure {
  return new Failure(status, `about:blank#${kind}`);
}

function anOutbox(server: Server, entries: Entry[] = []) {
  const clock = new HandClock();
  const seen = { kept: [] as string[], moods: [] as Mood[], ended: [] as string[], may: true };
  const patience = createPatience(clock, () => 0.5);
  const outbox = createOutbox(
    entries,
    server.nextTrial,
    {
      send: server.send,
      ask: async () => server.state(),
      keep: () => {
        seen.kept.push(entries.map(({ path, acked }) => path + (acked ? '!' : '')).join(' '));
        return seen.may;
      },
      told: () => undefined,
      ended: (error) => seen.ended.push(error.type),
      moodChanged: (mood) => seen.moods.push(mood),
    },
    patience,
  );
  return { outbox, clock, seen, entries, patience };
}

const BODY = { visible_ms: 1 };

test('an entry is kept before it is sent', async () => {
  const server = new Server();
  const { outbox, seen } = anOutbox(server);
  outbox.add('trials/1', BODY);
  assert.deepEqual(seen.kept, ['trials/1']);
  await settled();
  assert.deepEqual(server.stored, ['trials/1']);
  assert.equal(seen.kept[seen.kept.length - 1], 'trials/1!');
});

test('entries are sent in order, one at a time', async () => {
  const server = new Server();
  const { outbox } = anOutbox(server);
  for (const path of ['practice/1', 'practice/2', 'painted', 'trials/1', 'trials/2']) outbox.add(path, BODY);
  assert.equal(server.log.length, 1);
  await settled();
  assert.deepEqual(server.log, ['practice/1', 'practice/2', 'painted', 'trials/1', 'trials/2']);
  assert.ok(outbox.isEmpty());
});

test('the first of a path wins', async () => {
  const server = new Server();
  const { outbox, entries } = anOutbox(server);
  assert.ok(outbox.add('trials/1', BODY));
  assert.equal(outbox.add('trials/1', { visible_ms: 2 }), false);
  await settled();
  assert.equal(entries.length, 1);
});

test('what needs no sending is kept all the same', async () => {
  const server = new Server();
  const { outbox, seen } = anOutbox(server);
  assert.ok(outbox.add('comment', { text: '' }, true));
  await settled();
  assert.deepEqual([server.log, seen.kept], [[], ['comment!']]);
  assert.ok(outbox.isEmpty());
});

test('a tab that may not write any more takes nothing', async () => {
  const server = new Server();
  const { outbox, seen, entries } = anOutbox(server);
  seen.may = false;
  assert.equal(outbox.add('trials/1', BODY), false);
  await settled();
  assert.deepEqual([entries.length, server.log.length], [0, 0]);
});

test('while the line is down answers wait, longer each time, and then go in order', async () => {
  const server = new Server();
  server.faults.push(...Array.from({ length: 5 }, () => new Failure()));
  const { outbox, clock, seen } = anOutbox(server);
  outbox.add('trials/1', BODY);
  await settled();
  assert.deepEqual(seen.moods, [0]);
  outbox.add('trials/2', BODY);
  const waits: number[] = [];
  while (server.stored.length === 0) {
    waits.push(clock.wait());
    await clock.pass(clock.wait());
  }
  assert.deepEqual(waits, [750, 1500, 3000, 6000, 12_000]);
  assert.deepEqual(server.stored, ['trials/1', 'trials/2']);
  assert.deepEqual(server.waitedAt, [true, true]);
  assert.deepEqual(seen.moods, [0, 'clear']);
});

test('an answer that was stored but not acknowledged is stored once', async () => {
  const server = new Server();
  server.faults.push('lost answer');
  const { outbox, clock } = anOutbox(server);
  outbox.add('trials/1', BODY);
  await clock.pass(2000);
  assert.deepEqual(server.log, ['trials/1', 'trials/1']);
  assert.deepEqual(server.stored, ['trials/1']);
  assert.deepEqual(server.waitedAt, [false]); // the first sending arrived in time
});

test('when the line is back, nothing waits for the timer', async () => {
  const server = new Server();
  server.faults.push(new Failure());
  const { outbox, patience } = anOutbox(server);
  outbox.add('trials/1', BODY);
  await settled();
  patience.hurry();
  await settled();
  assert.deepEqual(server.stored, ['trials/1']);
});

test('another refusal keeps the entry, says so and tries again', async () => {
  const server = new Server();
  server.faults.push(refusal(422, 'invalid'));
  const { outbox, clock, seen, entries } = anOutbox(server);
  outbox.add('trials/1', BODY);
  await settled();
  assert.deepEqual(seen.moods, [422]);
  assert.equal(entries[0]?.acked, false);
  await clock.pass(2000);
  assert.deepEqual(server.stored, ['trials/1']);
});

test('a different answer on the server stands, and the page goes on from the server', async () => {
  const server = new Server();
  server.nextTrial = 2;
  const { outbox } = anOutbox(server, [anEntry('trials/1')]);
  server.faults.push(refusal(409, 'different-answer'));
  outbox.resume(aState({ next_trial: 1 }));
  await settled();
  assert.ok(outbox.isEmpty());
  assert.equal(outbox.expected(), 2);
});

test('a server that lost acknowledged rows gets them again, in order', async () => {
  const server = new Server();
  server.nextTrial = 2;
  const { outbox } = anOutbox(server, [1, 2, 3].map((number) => anEntry(`trials/${number}`, true)));
  outbox.resume(server.state());
  await settled();
  assert.deepEqual(server.log, ['trials/2', 'trials/3']);
});

test('what the server does not wait for yet is not sent', async () => {
  const server = new Server();
  server.nextTrial = 2;
  const { outbox } = anOutbox(server, [anEntry('trials/4')]);
  outbox.resume(server.state());
  await settled();
  assert.deepEqual(server.log, []);
  outbox.add('trials/2', BODY);
  outbox.add('trials/3', BODY);
  await settled();
  assert.deepEqual(server.stored, ['trials/2', 'trials/3', 'trials/4']);
});

test('on the rest, the first word of the server stands', async () => {
  const server = new Server();
  server.faults.push(refusal(409, 'finished'));
  const { outbox } = anOutbox(server);
  outbox.add('screens/thanks', BODY);
  await settled();
  assert.ok(outbox.isEmpty());
});

test('a session that is held elsewhere or gone is not written to any more', async () => {
  for (const [status, kind] of [[409, 'held-elsewhere'], [404, 'unknown-session'], [410, 'withdrawn'], [410, 'too-old'], [410, 'restart'], [410, 'blocked'], [410, 'study-changed']] as const) {
    const server = new Server();
    server.faults.push(refusal(status, kind));
    const { outbox, clock, seen, entries } = anOutbox(server);
    outbox.add('trials/1', BODY);
    await clock.pass(100_000);
    assert.deepEqual(seen.ended, [`about:blank#${kind}`]);
    assert.equal(server.log.length, 1);
    assert.equal(entries[0]?.acked, false);
  }
});

test('a 404 or 410 that is not the survey\'s own keeps everything, says so and tries again', async () => {
  const foreign = [new Failure(404, ''), new Failure(410, ''), refusal(404, 'not-found'), new Failure(404, 'undefined')];
  for (const failure of foreign) {
    const server = new Server();
    server.faults.push(failure);
    const { outbox, clock, seen, entries } = anOutbox(server);
    outbox.add('trials/1', BODY);
    await settled();
    assert.deepEqual([seen.moods, seen.ended, entries[0]?.acked], [[failure.status], [], false]);
    await clock.pass(2000);
    assert.deepEqual(server.stored, ['trials/1']);
    assert.deepEqual(seen.ended, []);
  }
});

test('after the end of a visit nothing follows from what was asked in it', async () => {
  const server = new Server();
  server.faults.push(new Failure());
  const { outbox, clock, patience } = anOutbox(server);
  outbox.add('trials/1', BODY);
  await settled();
  patience.end();
  await clock.pass(100_000);
  assert.equal(server.log.length, 1);
});

test('reconciling takes the server at its word, both ways', () => {
  const entries = ['practice/1', 'practice/2', 'trials/1', 'trials/2', 'debrief/strategy', 'painted'].map((path) => anEntry(path, true));
  reconcile(entries, aState({ next_practice: 2, next_trial: 2, debrief_done: [] }));
  assert.deepEqual(entries.map(({ acked }) => acked), [true, false, true, false, false, true]);
});

test('pauses double up to half a minute, half of each by chance, and heed the server', () => {
  const pauses = [1, 2, 3, 4, 5, 6, 7, 50].map((failures) => pauseAfter(failures, new Failure(), () => 1));
  assert.deepEqual(pauses, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  assert.equal(pauseAfter(1, new Failure(), () => 0), 500);
  assert.equal(pauseAfter(1, new Failure(0, '', 7000), () => 0), 7000);
  assert.equal(pauseAfter(1, new Failure(0, '', 1e9), () => 0), 60_000);
});

test('trials come one by one, in order, as far as they are wanted', async () => {
  const asked: number[] = [];
  const loaded: number[] = [];
  const trial = async (number: number): Promise<TrialMessage> => {
    asked.push(number);
    await Promise.resolve();
    return { token: `t${number}`, context: '', response_a: '', response_b: '', pad: '' };
  };
  const supply = createSupply(trial, (number) => loaded.push(number), () => undefined, createPatience(new HandClock(), () => 0));
  supply.want(1, 3);
  assert.deepEqual(asked, [1]);
  await settled();
  assert.deepEqual([asked, loaded], [[1, 2, 3], [1, 2, 3]]);
  supply.want(2, 4);
  await settled();
  assert.deepEqual(asked, [1, 2, 3, 4]);
  assert.equal(supply.get(4)?.token, 't4');
});
