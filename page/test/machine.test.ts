import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeOf, START, step, TABLE, type Event, type Facts, type Model, type Place, type Progress } from '../src/machine';

const noFeedback = { context: '', response_a: '', response_b: '', feedback: null };
const FACTS: Facts = { practice: [noFeedback, noFeedback], trial_count: 23, break_after: 0, pilot: false };
const ALL_LOADED = Array.from({ length: 23 }, (_, index) => index + 1);

function run(model: Model, events: readonly Event[], facts = FACTS): Model {
  return events.reduce((at, event) => step(at, event, facts), model);
}

function at(progress: Partial<Progress>, loaded = ALL_LOADED, facts = FACTS): Model {
  const come = { ...START.progress, begun: true, practice: 3, ...progress };
  return { ...START, loaded, progress: come, place: placeOf(come, loaded, facts) };
}

function loads(count: number): Event[] {
  return ALL_LOADED.slice(0, count).map((trial) => ({ type: 'loaded', trial }));
}

const answered = (number: number): Event => ({ type: 'answered', number });
const fresh: Event = { type: 'resumed', progress: START.progress };

test('a participant goes through every screen in the order of the instrument', () => {
  const places: Place[] = [];
  let model = START;
  const take = (event: Event): void => {
    model = step(model, event, FACTS);
    if (places[places.length - 1] !== model.place) places.push(model.place);
  };
  take({ type: 'invited' });
  take({ type: 'consented' });
  take({ type: 'screened' });
  take(fresh);
  loads(23).forEach(take);
  take({ type: 'begun' });
  [1, 2].map(answered).forEach(take);
  ALL_LOADED.map(answered).forEach(take);
  take({ type: 'debriefed', part: 'strategy' });
  take({ type: 'debriefed', part: 'demographics' });
  take({ type: 'completed', codes: { completion: 'C', withdrawal: 'W' } });
  assert.deepEqual(places, [
    'consent',
    'screening',
    'creating',
    'instructions',
    'practice',
    'trial',
    'strategy',
    'demographics',
    'finishing',
    'thanks',
  ]);
  assert.equal(model.codes.completion, 'C');
});

test('an answer to another trial than the one shown changes nothing', () => {
  const model = at({ trial: 5 });
  assert.equal(step(model, answered(4), FACTS), model);
  assert.equal(step(model, answered(6), FACTS), model);
  assert.equal(run(model, [answered(5), answered(5), answered(5)]).progress.trial, 6);
});

test('nothing but an answer leaves a trial forward', () => {
  const types: Event['type'][] = ['invited', 'consented', 'screened', 'begun', 'went_on', 'declined', 'screened_out'];
  for (const type of types) assert.equal(step(at({ trial: 9 }), { type } as Event, FACTS).place, 'trial');
});

test('a trial whose texts are not here is waited for, and comes by itself', () => {
  const model = at({ trial: 7 }, [1, 2, 3, 4, 5, 6, 7]);
  const waiting = step(model, answered(7), FACTS);
  assert.equal(waiting.place, 'waiting');
  assert.equal(step(waiting, { type: 'loaded', trial: 9 }, FACTS).place, 'waiting');
  assert.equal(run(waiting, [{ type: 'loaded', trial: 8 }]).place, 'trial');
});

test('the break comes once, after its trial', () => {
  const facts = { ...FACTS, break_after: 12 };
  const paused = run(at({ trial: 12 }, ALL_LOADED, facts), [answered(12)], facts);
  assert.equal(paused.place, 'break');
  const after = step(paused, { type: 'went_on' }, facts);
  assert.equal(after.place, 'trial');
  assert.equal(step(after, answered(13), facts).place, 'trial');
});

test('practice gives feedback only where the protocol has some', () => {
  const facts = { ...FACTS, practice: [{ ...noFeedback, feedback: 'Expected answer: NORMAL' }, noFeedback] };
  const first = run(START, [{ type: 'invited' }, { type: 'consented' }, { type: 'screened' }, fresh, { type: 'begun' }], facts);
  const said = step(first, answered(1), facts);
  assert.equal(said.place, 'feedback');
  const second = step(said, { type: 'went_on' }, facts);
  assert.equal(second.place, 'practice');
  assert.equal(step(second, answered(2), facts).place, 'waiting');
});

test('someone who comes back is where the answers end', () => {
  const resumed = (progress: Partial<Progress>): Place =>
    run(START, [...loads(23), { type: 'resumed', progress: { ...START.progress, ...progress } }]).place;
  assert.equal(resumed({}), 'instructions');
  assert.equal(resumed({ begun: true }), 'practice');
  assert.equal(resumed({ begun: true, practice: 2 }), 'practice');
  assert.equal(resumed({ practice: 3 }), 'trial');
  assert.equal(resumed({ practice: 3, trial: 23 }), 'trial');
  assert.equal(resumed({ practice: 3, trial: 24 }), 'strategy');
  assert.equal(resumed({ practice: 3, trial: 24, debriefed: ['strategy'] }), 'demographics');
  assert.equal(resumed({ practice: 3, trial: 24, debriefed: ['strategy', 'demographics'] }), 'finishing');
});

test('only a pilot is asked for a comment', () => {
  const done: Partial<Progress> = { trial: 24, debriefed: ['strategy', 'demographics'] };
  assert.equal(at(done).place, 'finishing');
  const pilot = { ...FACTS, pilot: true };
  const asked = at(done, ALL_LOADED, pilot);
  assert.equal(asked.place, 'comment');
  assert.equal(step(asked, { type: 'debriefed', part: 'comment' }, pilot).place, 'finishing');
});

test('thanks come from the server alone', () => {
  const finishing = at({ trial: 24, debriefed: ['strategy', 'demographics'] });
  for (const type of ['went_on', 'begun', 'stop_cancelled'] as const) assert.equal(step(finishing, { type }, FACTS).place, 'finishing');
});

test('stop can be asked wherever something is asked, and changes nothing until it is chosen', () => {
  const stoppable: Place[] = [
    'code', 'consent', 'screening', 'instructions', 'practice', 'feedback', 'trial', 'waiting', 'break',
    'strategy', 'demographics', 'comment', 'finishing',
  ];
  for (const place of Object.keys(TABLE) as Place[]) {
    assert.equal('stop_asked' in TABLE[place], stoppable.includes(place), place);
  }
  for (const place of stoppable) {
    const model: Model = { ...at({ trial: 5 }), place };
    const asked = step(model, { type: 'stop_asked' }, FACTS);
    assert.ok(asked.asking);
    assert.deepEqual(step(asked, { type: 'stop_cancelled' }, FACTS), model);
  }
});

test('stopping before there is a session ends like declining; later it waits for the server', () => {
  const consent: Model = { ...START, place: 'consent', asking: true };
  assert.equal(step(consent, { type: 'stop_chosen' }, FACTS).place, 'declined');
  const stopping = step(at({ trial: 5 }), { type: 'stop_chosen' }, FACTS);
  assert.equal(stopping.place, 'stopping');
  assert.equal(step(stopping, answered(5), FACTS).place, 'stopping');
  assert.equal(step(stopping, { type: 'stopped', keep: false }, FACTS).place, 'deleted');
  assert.equal(step(stopping, { type: 'stopped', keep: true, withdrawal: 'w' }, FACTS).place, 'kept');
});

test('a tab that lost the session takes no answer until it takes over', () => {
  const lost = step(at({ trial: 5 }), { type: 'held_elsewhere' }, FACTS);
  assert.equal(lost.place, 'elsewhere');
  assert.equal(step(lost, answered(5), FACTS), lost);
  const back = run(lost, [{ type: 'resumed', progress: { ...START.progress, practice: 3, trial: 8 } }]);
  assert.equal(back.place, 'trial');
  assert.equal(back.progress.trial, 8);
});

test('places that end have no way on', () => {
  for (const place of ['declined', 'screened_out', 'kept', 'deleted'] as const) assert.deepEqual(TABLE[place], {});
});
