/** The page put together: events go into the machine, and what comes out is shown. */

import { atSecondFrame, timeOf, type Clock } from './clock';
import { createJudging, type Judging } from './judging';
import { OVER, START, step, TABLE, type Event, type Model } from './machine';
import { messages } from './messages';
import type { Mood } from './outbox';
import type { PageListener } from './page_events';
import { timeScreen, type ScreenTime } from './screen_times';
import { isWait, viewOf } from './screens';
import { createStopDialog } from './screens/stop';
import { createTrialScreen, type Answered } from './screens/trial';
import type { Listener, Session } from './session';
import type { Setting } from './setting';
import { createShell } from './shell';
import { createSight } from './sight';
import type { Store } from './storage';
import type { BlindedStudy } from './wire.gen';

const KEYS = 'survey/keys';
/** What comes sooner than this need not be announced: the screen before stays for a blink. */
const UNFELT_MS = 300;

export interface App extends Listener {
  readonly early: Record<string, number>; // screen times from before there is a session
  session: Session; // both are put in before anything happens
  setting: Setting;
  readonly page: PageListener;
  readonly model: () => Model;
  /** Begin, or begin again after the page came back or the session was taken over. */
  open(takeOver?: boolean): void;
}

export function createApp(study: BlindedStudy, pilot: boolean, store: Store, clock: Clock): App {
  const facts = { ...study, pilot };
  const { stop: stopWords, trial: words } = study.wording;
  let model = START;
  let shown = '';
  let mood: Mood = 'clear';
  let judging: Judging | null = null;
  let screenTime: ScreenTime | null = null;
  let cancelPending = (): void => undefined;

  const isSeen = (): boolean => document.visibilityState === 'visible' && !model.asking;

  const turn = (): void => {
    judging?.turn(isSeen(), clock.now());
    screenTime?.turn(isSeen(), clock.now());
  };

  const happened = (event: Event): void => {
    const before = model;
    model = step(model, event, facts);
    if (model === before) return;
    render();
    acknowledged();
    if (model.place === 'deleted') app.setting.forget();
    if (OVER.test(model.place)) app.session.rest();
  };

  const acknowledged = (): void => {
    app.session.stock(model.progress.trial);
    if (model.place === 'finishing') app.setting.finish();
  };

  const judge: Answered = (response, event, input) => {
    const at = timeOf(event, clock.now());
    if (!judging || model.asking || !judging.settled(at)) return;
    sight.flush();
    const viewport = { width: innerWidth, height: innerHeight };
    const answer = judging.answer(at, { response, client_time: clock.wall(), input, viewport });
    const { path } = judging;
    judging = null;
    if (app.session.judge(path, answer)) happened({ type: 'answered', number: Number(path.split('/')[1]) });
  };

  /** Stop, from the dialog. Before there is a session nothing was stored, and the page says so. */
  const stop = (keep: boolean): void => {
    if (app.session.saved()) app.session.stop(keep);
    else if (model.place === 'consent') app.setting.count('declined');
    happened({ type: 'stop_chosen' });
  };

  const shell = createShell(stopWords.button, () => happened({ type: 'stop_asked' }), () => app.setting.disk?.saveFile());
  const askWhetherToStop = createStopDialog(stopWords, stop, () => happened({ type: 'stop_cancelled' }));
  const trialScreen = createTrialScreen(words, store.get(KEYS) !== 'off', (on) => store.set(KEYS, on ? 'on' : 'off'), judge);
  const sight = createSight(trialScreen.slices, shell.bars, (slice) => judging?.saw(slice));

  /** The trial stands on the screen: its time begins. */
  const painted = (path: string, at: number): void => {
    judging = createJudging(path, app.session.saved()?.open ?? null, at, clock.wall(), isSeen());
    sight.watch();
    app.session.note({ open: judging.snapshot(at) });
    if (path === 'trials/1') app.session.write('painted', { client_time: clock.wall() });
  };

  const showTrial = (kind: 'practice' | 'trials', number: number, title: string, total: number): void => {
    const texts = kind === 'trials' ? app.session.trial(number) : study.practice[number - 1];
    if (!texts) return;
    trialScreen.show(title.replace('{n}', String(number)).replace('{total}', String(total)), texts, number - 1, total);
    shell.showTrial(trialScreen, trialScreen.title);
    cancelPending = atSecondFrame((at) => painted(`${kind}/${number}`, at));
  };

  const showView = (): void => {
    const { place } = model;
    const view = viewOf(place, app);
    if (view) shell.showView(view);
    screenTime = timeScreen(place, app.session.saved()?.screens[place] ?? 0, clock.now());
    turn();
  };

  const show = (): void => {
    const { place, progress } = model;
    if (place === 'practice') showTrial('practice', progress.practice, words.practice_title, study.practice.length);
    else if (place === 'trial') showTrial('trials', progress.trial, words.title, study.trial_count);
    else if (place === 'feedback') {
      const text = study.practice[progress.practice - 2]?.feedback ?? '';
      shell.showTrial(trialScreen, trialScreen.showFeedback(text, () => happened({ type: 'went_on' })));
    } else if (isWait(place, app)) cancelPending = clock.after(UNFELT_MS, showView);
    else showView();
  };

  /** The screen that was there is over: its time is complete. */
  const leaveScreen = (): void => {
    cancelPending();
    sight.stop();
    judging = null;
    if (!screenTime) return;
    const { name } = screenTime;
    const visible_ms = screenTime.visibleMs(clock.now());
    screenTime = null;
    if (app.session.saved()) app.session.write(`screens/${name}`, { visible_ms });
    else app.early[name] = visible_ms;
  };

  const render = (): void => {
    const { place, progress, asking } = model;
    const goesOn = !!TABLE[place].stop_asked;
    shell.offer(goesOn, goesOn && !!app.setting.disk && !!app.session.saved());
    askWhetherToStop(asking);
    const wanted = `${place} ${/practice|trial/.test(place) ? progress.practice + progress.trial : ''}`;
    if (wanted !== shown) {
      shown = wanted;
      leaveScreen();
      show();
    }
    turn();
  };

  /** Keep the time of what is on the screen, so that a crash loses a few seconds at most. */
  const keepTimes = (): void => {
    const saved = app.session.saved();
    if (!saved) return;
    const at = clock.now();
    const screens = screenTime ? { ...saved.screens, [screenTime.name]: screenTime.visibleMs(at) } : saved.screens;
    app.session.note({ screens, open: judging ? judging.snapshot(at) : saved.open });
  };

  const focus = (has: boolean): void => (has ? judging?.comeBack(clock.now()) : judging?.leave(clock.now()));

  const sayIfFragile = (): void => {
    if (!store.durable() && mood === 'clear') shell.say(messages.memory);
  };

  const open = (takeOver = false): void => {
    model = START;
    sayIfFragile();
    app.setting.open(takeOver);
    render();
  };

  const page: PageListener = {
    focus,
    seen(visible) {
      turn();
      focus(visible && document.hasFocus());
      if (visible) app.session.kick();
      else keepTimes();
    },
    copied(selection) {
      if (trialScreen.stimuli.some((text) => selection.containsNode(text, true))) judging?.copied();
    },
    resized() {
      if (judging) sight.watch();
    },
    online: () => app.session.kick(),
    alive: () => app.session.renew(),
    tick() {
      keepTimes();
      sayIfFragile();
    },
    leaving() {
      keepTimes();
      if (screenTime?.name === 'thanks') app.session.mention('screens/thanks', { visible_ms: screenTime.visibleMs(clock.now()) });
      cancelPending();
      judging = screenTime = null;
      shown = '';
      app.session.rest();
    },
    returned: () => open(),
    fragile: () => !store.durable() && !!TABLE[model.place].stop_asked && !!app.session.saved(),
  };

  const app: App = {
    study,
    store,
    clock,
    early: {},
    session: undefined as unknown as Session,
    setting: undefined as unknown as Setting,
    page,
    model: () => model,
    open,
    happened,
    acknowledged,
    outdated: () => location.reload(),
    moodChanged(felt) {
      const before = mood;
      mood = felt;
      const always = store.durable() ? '' : messages.memory;
      const known = app.session.saved() !== null;
      if (felt === 0) shell.say(known ? messages.unreachable : messages.connecting[1]);
      else if (felt !== 'clear') shell.say(messages.refused + felt);
      else shell.say(before === 'clear' || !known ? always : messages.sent, always);
    },
  };
  return app;
}
