import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLease } from '../src/lease';
import { messages } from '../src/messages';
import { progressOf, readSaved, type Saved } from '../src/record';
import { openStore } from '../src/storage';
import { anEntry, aState, aStore, FakeStorage } from './stand_ins';

test('what is kept is there for the next page', () => {
  const storage = new FakeStorage();
  aStore(storage).set('a', '1');
  assert.equal(aStore(storage).get('a'), '1');
  assert.ok(aStore(storage).durable());
});

test('without storage the page runs from memory and says so', () => {
  const store = openStore(() => {
    throw new Error('SecurityError');
  });
  store.set('a', '1');
  assert.equal(store.get('a'), '1');
  assert.equal(store.durable(), false);
});

test('storage that fills up later loses nothing of this page', () => {
  const storage = new FakeStorage();
  const store = aStore(storage);
  store.set('a', '1');
  storage.full = true;
  store.set('a', '2');
  assert.equal(store.get('a'), '2');
  assert.equal(store.durable(), false);
  storage.full = false;
  store.set('a', '3');
  assert.equal(storage.getItem('a'), '3');
  assert.equal(store.get('a'), '3');
});

test('one tab holds the lease, the other may take it over', () => {
  const store = aStore();
  const one = createLease(store, 'lease', 'one', () => 0);
  const other = createLease(store, 'lease', 'other', () => 10_000);
  assert.ok(one.acquire());
  assert.equal(other.acquire(), false);
  assert.ok(one.renew());
  other.takeOver();
  assert.equal(one.holds(), false);
  assert.equal(one.renew(), false);
  one.release();
  assert.ok(other.holds());
});

test('a tab that is gone or silent does not hold for long', () => {
  const store = aStore();
  const one = createLease(store, 'lease', 'one', () => 0);
  one.acquire();
  one.release();
  assert.ok(createLease(store, 'lease', 'other', () => 1).acquire());
  assert.ok(createLease(store, 'lease', 'third', () => 80_000).acquire());
});

test('a lease that cannot be read is free', () => {
  const store = aStore();
  store.set('lease', 'someone nonsense');
  assert.ok(createLease(store, 'lease', 'me', () => 0).acquire());
});

test('what cannot be read counts as nothing', () => {
  const store = aStore();
  for (const text of ['', '{', '[]', '{"token": 7}', 'null']) {
    store.set('key', text);
    assert.equal(readSaved(store, 'key'), null);
  }
});

test('progress is what the server has and what waits to be sent', () => {
  const saved = { entries: [anEntry('screens/instructions'), anEntry('trials/8'), anEntry('trials/9')], rested: true } as unknown as Saved;
  assert.deepEqual(progressOf(saved, aState({ next_trial: 8 })), {
    begun: true,
    practice: 3,
    trial: 10,
    rested: true,
    debriefed: [],
  });
  assert.equal(progressOf(saved, aState({ next_trial: 7 })).trial, 7); // one is missing: it is asked for again
  assert.equal(progressOf(saved, aState({ next_trial: 15 })).trial, 15);
  assert.deepEqual(progressOf(saved, aState({ debrief_done: ['strategy'] })).debriefed, ['strategy']);
});

test('the messages give nothing away', () => {
  assert.doesNotMatch(JSON.stringify(messages), /drift|detect|threshold|boundar|identit|limen/i);
});
