/**
 * The one state machine of the page: a table of places and of the events that count there.
 *
 * An event that has no entry at a place changes nothing, so a second click or a late message is harmless.
 * Nothing here knows the document, the network or the time.
 */

import type { BlindedStudy } from './wire.gen';

export type Place =
  | 'opening' // finding out where the participant stands
  | 'code' // static page only: which plan
  | 'consent'
  | 'declined'
  | 'screening'
  | 'creating' // waiting for the session
  | 'screened_out'
  | 'instructions'
  | 'practice'
  | 'feedback' // after a practice trial, if the protocol wants it
  | 'trial'
  | 'waiting' // the next trial has not come yet
  | 'break'
  | 'strategy'
  | 'demographics'
  | 'comment' // pilot only
  | 'finishing' // until every row is acknowledged
  | 'thanks'
  | 'stopping' // until the server has kept or deleted the answers
  | 'kept'
  | 'deleted'
  | 'elsewhere' // another tab holds the session
  | 'closed' // the server does not take the session up again
  | 'unknown'; // the server does not know the session

export type Debrief = 'strategy' | 'demographics' | 'comment';

/** What never changes in a study. */
export type Facts = Pick<BlindedStudy, 'practice' | 'trial_count' | 'break_after'> & { readonly pilot: boolean };

/** How far the participant has come, by what is stored and what waits in the outbox. */
export interface Progress {
  readonly begun: boolean; // the instructions are read
  readonly practice: number; // the next practice trial, one past the last when done
  readonly trial: number; // the next trial, likewise
  readonly rested: boolean; // the break is over
  readonly debriefed: readonly Debrief[];
}

export interface Codes {
  readonly completion: string | null;
  readonly withdrawal: string | null;
}

export interface Model {
  readonly place: Place;
  readonly progress: Progress;
  readonly loaded: readonly number[]; // the trials whose texts are here
  readonly asking: boolean; // the question whether to stop is open
  readonly codes: Codes;
}

export type Event =
  | { readonly type: 'code_wanted' }
  | { readonly type: 'invited' }
  | { readonly type: 'consented' }
  | { readonly type: 'declined' }
  | { readonly type: 'screened' }
  | { readonly type: 'screened_out' }
  | { readonly type: 'resumed'; readonly progress: Progress }
  | { readonly type: 'loaded'; readonly trial: number }
  | { readonly type: 'begun' }
  | { readonly type: 'answered'; readonly number: number }
  | { readonly type: 'went_on' }
  | { readonly type: 'debriefed'; readonly part: Debrief }
  | { readonly type: 'completed'; readonly codes: Codes }
  | { readonly type: 'stop_asked' }
  | { readonly type: 'stop_cancelled' }
  | { readonly type: 'stop_chosen' }
  | { readonly type: 'stop_pending' } // chosen on an earlier visit, not acknowledged yet
  | { readonly type: 'stopped'; readonly keep: boolean; readonly withdrawal?: string | null }
  | { readonly type: 'held_elsewhere' }
  | { readonly type: 'closed' }
  | { readonly type: 'not_found' };

type Step<E> = (model: Model, event: E, facts: Facts) => Model;
/** What an event does at a place: a step, or just the place to go to. */
type Row = { readonly [T in Event['type']]?: Place | Step<Extract<Event, { readonly type: T }>> };

export const START: Model = {
  place: 'opening',
  progress: { begun: false, practice: 1, trial: 1, rested: false, debriefed: [] },
  loaded: [],
  asking: false,
  codes: { completion: null, withdrawal: null },
};

/** Tell where a participant who has come this far belongs. */
export function placeOf(progress: Progress, loaded: readonly number[], facts: Facts): Place {
  const { practice, trial, debriefed } = progress;
  if (!progress.begun && practice === 1 && trial === 1) return 'instructions';
  if (practice <= facts.practice.length && trial === 1) return 'practice';
  if (trial <= facts.trial_count) {
    if (facts.break_after > 0 && trial === facts.break_after + 1 && !progress.rested) return 'break';
    return loaded.includes(trial) ? 'trial' : 'waiting';
  }
  if (!debriefed.includes('strategy')) return 'strategy';
  if (!debriefed.includes('demographics')) return 'demographics';
  if (facts.pilot && !debriefed.includes('comment')) return 'comment';
  return 'finishing';
}

function at(model: Model, progress: Progress, facts: Facts): Model {
  return { ...model, progress, place: placeOf(progress, model.loaded, facts) };
}

const resume: Step<{ readonly progress: Progress }> = (model, event, facts) => at(model, event.progress, facts);

const load: Step<{ readonly trial: number }> = (model, event) => ({ ...model, loaded: [...model.loaded, event.trial] });

const complete: Step<{ readonly codes: Codes }> = (model, event) => ({
  ...model,
  place: 'thanks',
  asking: false,
  codes: event.codes,
});

const stopped: Step<{ readonly keep: boolean; readonly withdrawal?: string | null }> = (model, { keep, withdrawal = null }) => ({
  ...model,
  place: keep ? 'kept' : 'deleted',
  asking: false,
  codes: { completion: null, withdrawal },
});

const debrief: Step<{ readonly part: Debrief }> = (model, event, facts) =>
  event.part === model.place
    ? at(model, { ...model.progress, debriefed: [...model.progress.debriefed, event.part] }, facts)
    : model;

const practiced: Step<{ readonly number: number }> = (model, event, facts) => {
  if (event.number !== model.progress.practice) return model;
  const progress = { ...model.progress, practice: event.number + 1 };
  return facts.practice[event.number - 1]?.feedback ? { ...model, progress, place: 'feedback' } : at(model, progress, facts);
};

const judged: Step<{ readonly number: number }> = (model, event, facts) =>
  event.number === model.progress.trial
    ? at(model, { ...model.progress, trial: event.number + 1 }, facts)
    : model;

/** The question whether to stop lies over the screen; what happened beneath it stands. */
const STOPPABLE: Row = {
  stop_asked: (model) => ({ ...model, asking: true }),
  stop_cancelled: (model) => ({ ...model, asking: false }),
};

/** What the server or another tab may say while a session is under way. */
const UNDER_WAY: Row = {
  ...STOPPABLE,
  stop_chosen: 'stopping',
  resumed: resume,
  loaded: load,
  held_elsewhere: 'elsewhere',
  closed: 'closed',
  not_found: 'unknown',
  stopped,
  completed: complete,
};

const BEFORE: Row = {
  ...STOPPABLE,
  stop_chosen: 'declined',
  held_elsewhere: 'elsewhere',
};

/** From here a participant may still be taken up again, for example by taking over from another tab. */
const REOPENING: Row = {
  code_wanted: 'code',
  invited: 'consent',
  resumed: resume,
  loaded: load,
  completed: complete,
  stop_pending: 'stopping',
  stopped,
  held_elsewhere: 'elsewhere',
  closed: 'closed',
  not_found: 'unknown',
};

export const TABLE: Readonly<Record<Place, Row>> = {
  opening: REOPENING,
  elsewhere: REOPENING,
  closed: { invited: 'consent' },
  unknown: { invited: 'consent' },

  code: { ...REOPENING, ...BEFORE },
  consent: { ...BEFORE, consented: 'screening', declined: 'declined' },
  screening: { ...BEFORE, screened: 'creating' },
  creating: { resumed: resume, loaded: load, screened_out: 'screened_out', held_elsewhere: 'elsewhere' },
  declined: {},
  screened_out: {},

  instructions: {
    ...UNDER_WAY,
    begun: (model, _event, facts) => at(model, { ...model.progress, begun: true }, facts),
  },
  practice: { ...UNDER_WAY, answered: practiced },
  feedback: {
    ...UNDER_WAY,
    resumed: (model, event) => ({ ...model, progress: event.progress }),
    went_on: (model, _event, facts) => at(model, model.progress, facts),
  },
  trial: { ...UNDER_WAY, answered: judged },
  waiting: {
    ...UNDER_WAY,
    loaded: (model, event, facts) => {
      const next = load(model, event, facts);
      return at(next, next.progress, facts);
    },
  },
  break: {
    ...UNDER_WAY,
    went_on: (model, _event, facts) => at(model, { ...model.progress, rested: true }, facts),
  },

  strategy: { ...UNDER_WAY, debriefed: debrief },
  demographics: { ...UNDER_WAY, debriefed: debrief },
  comment: { ...UNDER_WAY, debriefed: debrief },
  finishing: UNDER_WAY,
  thanks: { stopped },

  stopping: { stopped, held_elsewhere: 'elsewhere', closed: 'closed', not_found: 'unknown' },
  kept: {},
  deleted: {},
};

/** The places from which nothing is written any more. */
export const OVER = /thanks|kept|deleted|declined|screened_out/;

/** Take one event at the place where the page is. */
export function step(model: Model, event: Event, facts: Facts): Model {
  const take = TABLE[model.place][event.type] as Place | Step<Event> | undefined;
  if (typeof take === 'string') return { ...model, place: take, asking: false };
  return take ? take(model, event, facts) : model;
}
