import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStopwatch, milliseconds, timeOf } from '../src/clock';
import { createJudging, SLICES } from '../src/judging';

const NOW = '2026-01-01T00:00:00.000Z';
const GIVEN = { response: 'NORMAL', client_time: NOW, input: 'key', viewport: { width: 390, height: 844 } } as const;

test('time is visible or hidden, never both and never lost', () => {
  const watch = createStopwatch(100, true);
  watch.turn(false, 600);
  watch.turn(true, 1600);
  assert.deepEqual(watch.read(1850.4), { visible_ms: 750, hidden_ms: 1000 });
});

test('a moment before the last one adds nothing', () => {
  const watch = createStopwatch(1000, true);
  watch.turn(true, 900);
  assert.deepEqual(watch.read(1500), { visible_ms: 500, hidden_ms: 0 });
});

test('durations are whole and within thirty days', () => {
  assert.equal(milliseconds(-5), 0);
  assert.equal(milliseconds(1.6), 2);
  assert.equal(milliseconds(1e12), 2_592_000_000);
});

test('the event tells its own time, unless its clock is another one', () => {
  assert.equal(timeOf({ timeStamp: 480 } as Event, 500), 480);
  assert.equal(timeOf({ timeStamp: 1.7e12 } as Event, 500), 500);
  assert.equal(timeOf({ timeStamp: 0 } as Event, 500), 500);
});

test('response time is visible time summed over attempts, and each attempt is kept', () => {
  const first = createJudging('trials/3', null, 1000, NOW, true);
  first.turn(false, 3000);
  first.turn(true, 8000);
  const saved = first.snapshot(9000); // a reload
  const second = createJudging('trials/3', saved, 50, NOW, true);
  const answer = second.answer(4050, GIVEN);
  assert.equal(answer.response_time_ms, 3000 + 4000);
  assert.deepEqual(answer.attempts, [
    { visible_ms: 3000, hidden_ms: 5000, started: NOW },
    { visible_ms: 4000, hidden_ms: 0, started: NOW },
  ]);
});

test('what was kept of another trial is not taken for this one', () => {
  const saved = createJudging('trials/3', null, 0, NOW, true).snapshot(700);
  const answer = createJudging('trials/4', saved, 0, NOW, true).answer(900, GIVEN);
  assert.equal(answer.attempts.length, 1);
  assert.equal(answer.response_time_ms, 900);
});

test('absences are counted once each, and their time is kept over a reload', () => {
  const judging = createJudging('trials/1', null, 0, NOW, true);
  judging.leave(100);
  judging.leave(150); // blur, then hidden: one absence
  judging.comeBack(400);
  judging.comeBack(500);
  judging.leave(1000);
  const again = createJudging('trials/1', judging.snapshot(1200), 0, NOW, true);
  const answer = again.answer(600, GIVEN);
  assert.equal(answer.focus_losses, 2);
  assert.equal(answer.focus_lost_ms, 300 + 200);
});

test('copies and what was seen of Response B add up over attempts', () => {
  const judging = createJudging('trials/1', null, 0, NOW, true);
  judging.copied();
  for (let slice = 0; slice < 10; slice++) judging.saw(slice);
  const again = createJudging('trials/1', judging.snapshot(500), 0, NOW, true);
  again.copied();
  for (let slice = 5; slice < 25; slice++) again.saw(slice);
  const answer = again.answer(600, GIVEN);
  assert.equal(answer.copies, 2);
  assert.equal(answer.b_seen, 25 / SLICES);
});

test('what comes within a blink of the paint is the second half of a double click', () => {
  const judging = createJudging('trials/1', null, 1000, NOW, true);
  assert.equal(judging.settled(1150), false);
  assert.equal(judging.settled(1300), true);
});
