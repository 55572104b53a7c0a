// Made by scripts/wire-types from src/limen/survey/wire.py. Do not edit.

/** One trial. `pad` makes its length tell nothing: bytes minus the three texts are one constant. */
export interface TrialMessage {
  readonly token: string;
  readonly context: string;
  readonly response_a: string;
  readonly response_b: string;
  readonly pad: string;
}

export type Stage = "practice" | "trials" | "debrief" | "done" | "stopped";

/** Where a session stands. The order and the next trial belong to the server. */
export interface SessionState {
  readonly stage: Stage;
  readonly next_practice: number;
  readonly next_trial: number;
  readonly debrief_done: readonly string[];
  readonly lease: boolean;
  readonly completion_code: string | null;
  readonly withdrawal_code: string | null;
}

/** A new session, for those who qualify. */
export interface SessionCreated {
  readonly token: string;
  readonly state: SessionState;
}

/** The answer to those who do not qualify. Nothing of them is kept but a count. */
export interface ScreenedOut {
  readonly screened_out: true;
}

/** The first screen; whom to ask is its last paragraph. */
export interface BlindedConsent {
  readonly title: string;
  readonly paragraphs: readonly string[];
  readonly agree: string;
  readonly decline: string;
  readonly declined_title: string;
  readonly declined: string;
}

/** A screening question, without the answer that qualifies. */
export interface BlindedQuestion {
  readonly id: string;
  readonly text: string;
}

/** The screening screen. */
export interface BlindedScreening {
  readonly title: string;
  readonly lead: string;
  readonly questions: readonly BlindedQuestion[];
  readonly yes: string;
  readonly no: string;
  readonly button: string;
  readonly screened_out_title: string;
  readonly screened_out: string;
}

/** What the task is. */
export interface InstructionsWording {
  readonly title: string;
  readonly paragraphs: readonly string[];
  readonly task_label: string;
  readonly task_normal: string;
  readonly task_or: string;
  readonly task_off: string;
  readonly tips_label: string;
  readonly tips: readonly string[];
  readonly button: string;
}

/** What stands around the two responses. `{n}` and `{total}` are filled in. */
export interface TrialWording {
  readonly practice_title: string;
  readonly title: string;
  readonly context_label: string;
  readonly response_a_label: string;
  readonly response_b_label: string;
  readonly question: string;
  readonly normal: string;
  readonly off: string;
  readonly expected_answer: string;
  readonly break_title: string;
  readonly break_text: string;
  readonly break_button: string;
}

/** Debrief question D1: why SOMETHING'S OFF was chosen. */
export interface StrategyWording {
  readonly title: string;
  readonly question: string;
  readonly hint: string;
  readonly options: readonly string[];
  readonly other: string;
}

/** Debrief question D2: age range and use of AI assistants. */
export interface DemographicsWording {
  readonly title: string;
  readonly age_question: string;
  readonly age_options: readonly string[];
  readonly use_question: string;
  readonly use_options: readonly string[];
}

/** The optional questions after the last trial. */
export interface DebriefWording {
  readonly strategy: StrategyWording;
  readonly demographics: DemographicsWording;
  readonly continue_button: string;
  readonly skip_button: string;
}

/** The last screen; `lines` are the instrument's, the labels stand apart from them. */
export interface ThanksWording {
  readonly title: string;
  readonly lines: readonly string[];
  readonly completion_label: string;
  readonly withdrawal_label: string;
}

/** Stopping early, from any screen. */
export interface StopWording {
  readonly button: string;
  readonly title: string;
  readonly text: string;
  readonly keep: string;
  readonly delete: string;
  readonly back: string;
  readonly kept: string;
  readonly deleted: string;
}

/** The words of every screen, filled in. */
export interface BlindedWording {
  readonly consent: BlindedConsent;
  readonly screening: BlindedScreening;
  readonly instructions: InstructionsWording;
  readonly trial: TrialWording;
  readonly debrief: DebriefWording;
  readonly thanks: ThanksWording;
  readonly stop: StopWording;
}

/** A practice trial; the feedback is None unless the protocol turns it on. */
export interface BlindedPractice {
  readonly context: string;
  readonly response_a: string;
  readonly response_b: string;
  readonly feedback: string | null;
}

/** What every participant may read, the same for all: words, practice, and how many trials there are. */
export interface BlindedStudy {
  readonly public_name: string;
  readonly wording: BlindedWording;
  readonly practice: readonly BlindedPractice[];
  readonly trial_count: number;
  readonly break_after: number;
  readonly prefetch: number;
  readonly consent_version: string;
}

/** What the page finds in its placeholder when a server serves it. */
export interface Boot {
  readonly kind: "server";
  readonly api: string;
  readonly mode: "live" | "pilot" | "preview" | "simulated";
  readonly study: BlindedStudy;
}

/** One sealed plan of the static page. */
export interface StaticPlan {
  readonly code: string;
  readonly trials: readonly TrialMessage[];
}

/** What the page finds in its placeholder when it is one file on disk. */
export interface StaticBoot {
  readonly kind: "static";
  readonly study_id: string;
  readonly mode: "live" | "pilot";
  readonly study: BlindedStudy;
  readonly qualifying: Readonly<Record<string, "no" | "yes">>;
  readonly plans: readonly StaticPlan[];
}

export type Response = "NORMAL" | "SOMETHINGS_OFF";

/** An error, as RFC 9457 has it, with what the page needs to put itself right. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly expected?: number | null;
  readonly stored?: Response | null;
}

/** One showing of a trial: a reload begins another. */
export interface Attempt {
  readonly visible_ms: number;
  readonly hidden_ms: number;
  readonly started: string;
}

export type InputKind = "pointer" | "touch" | "key";

/** How large the window was. */
export interface Viewport {
  readonly width: number;
  readonly height: number;
}

/** A judgment as the page sends it. `response_time_ms` is visible time over all attempts, by the monotonic clock. */
export interface Answer {
  readonly response: Response;
  readonly response_time_ms: number;
  readonly client_time: string;
  readonly queued_offline: boolean;
  readonly attempts: readonly Attempt[];
  readonly focus_losses: number;
  readonly focus_lost_ms: number;
  readonly copies: number;
  readonly b_seen: number;
  readonly input: InputKind;
  readonly viewport: Viewport;
  readonly tab: string;
}

/** Consent given and screening answered. */
export interface NewSession {
  readonly consent_version: string;
  readonly screening: Readonly<Record<string, "no" | "yes">>;
  readonly tab: string;
  readonly request?: string | null;
}

/** Trial 1 stands on the screen; the server stamps it on arrival. */
export interface Painted {
  readonly client_time: string;
  readonly tab: string;
}

/** How long a screen was visible. */
export interface ScreenTime {
  readonly visible_ms: number;
  readonly tab: string;
}

/** Debrief D1; both empty when skipped. */
export interface Strategy {
  readonly options: readonly number[];
  readonly other: string;
  readonly skipped: boolean;
  readonly tab: string;
}

/** Debrief D2; None when not answered. */
export interface Demographics {
  readonly age: number | null;
  readonly use: number | null;
  readonly skipped: boolean;
  readonly tab: string;
}

/** What a pilot participant wants to say. */
export interface Comment {
  readonly text: string;
  readonly tab: string;
}

/** A tab asks to hold the session; `take_over` takes it from another tab. */
export interface Lease {
  readonly tab: string;
  readonly take_over: boolean;
}

/** Everything was sent; `main_task_ms` is the page's own monotonic time from trial 1 painted to the last answer. */
export interface Completion {
  readonly tab?: string | null;
  readonly main_task_ms?: number | null;
}

/** Stopping early, with the answers kept or deleted. */
export interface Stop {
  readonly keep: boolean;
  readonly tab: string;
}

export type DailyCount = "landed" | "consented" | "declined" | "screened_out";

/** One to be added to a day's count. */
export interface Counted {
  readonly what: DailyCount;
}

/** An answer with the token of its trial. */
export interface StaticAnswer {
  readonly number: number;
  readonly token: string;
  readonly answer: Answer;
}

/** responses_<code or id>.json. */
export interface StaticResponses {
  readonly schema: "limen.responses/1";
  readonly study_id: string;
  readonly response_id: string;
  readonly code: string;
  readonly consent_version: string;
  readonly screening: Readonly<Record<string, "no" | "yes">>;
  readonly started: string;
  readonly finished: string | null;
  readonly main_task_ms: number | null;
  readonly practice: readonly StaticAnswer[];
  readonly trials: readonly StaticAnswer[];
  readonly strategy: Strategy | null;
  readonly demographics: Demographics | null;
  readonly screens: Readonly<Record<string, number>>;
  readonly comment?: Comment | null;
}
