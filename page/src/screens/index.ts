/** Which screen belongs to which place, with what its buttons do. */

import type { App } from '../app';
import { actions, button } from '../dom';
import type { Debrief, Place } from '../machine';
import { messages } from '../messages';
import { consentScreen, instructionsScreen, screeningScreen } from './beginning';
import { commentScreen, demographicsScreen, strategyScreen, type Drafting } from './debrief';
import { codeLines, codesCard, plainScreen, thanksScreen } from './ending';
import type { View } from './view';

/** Give the screen of a place; null where the screen before stays. Trials have a screen of their own. */
export function viewOf(place: Place, app: App): View | null {
  const { session, setting } = app;
  const words = app.study.wording;
  const debriefed = (part: Debrief, path: string) => (answer: Parameters<typeof session.write>[1]) => {
    session.note({ draft: {} });
    if (session.write(path, answer, 'text' in answer && !answer.text)) app.happened({ type: 'debriefed', part });
  };
  const drafting = (): Drafting => ({ draft: session.saved()?.draft ?? {}, changed: (draft) => session.note({ draft }) });
  const codes = (...more: readonly HTMLElement[]): HTMLElement =>
    codesCard(words.thanks, app.model().codes, (code) => setting.withdrawalLink(code), ...more);
  const retry = (): HTMLElement => button(messages.retry, '', () => session.kick());

  switch (place) {
    case 'code':
      return setting.disk?.codeView() ?? null;
    case 'consent':
      return consentScreen(words.consent, (type) => {
        setting.count(type);
        app.happened({ type });
      });
    case 'declined':
      return plainScreen([words.consent.declined_title, words.consent.declined]);
    case 'screening':
      return screeningScreen(words.screening, (answers) => {
        app.happened({ type: 'screened' });
        setting.create(answers);
      });
    case 'screened_out':
      return plainScreen([words.screening.screened_out_title, words.screening.screened_out]);
    case 'instructions':
      return instructionsScreen(words.instructions, () => app.happened({ type: 'begun' }));
    case 'break':
      return plainScreen(
        [words.trial.break_title, words.trial.break_text],
        button(words.trial.break_button, 'primary', () => {
          session.note({ rested: true });
          app.happened({ type: 'went_on' });
        }),
      );
    case 'strategy':
      return strategyScreen(words.debrief, drafting(), debriefed('strategy', 'debrief/strategy'));
    case 'demographics':
      return demographicsScreen(words.debrief, drafting(), debriefed('demographics', 'debrief/demographics'));
    case 'comment':
      return commentScreen(words.debrief, drafting(), debriefed('comment', 'comment'));
    case 'finishing':
      return setting.disk?.handOverView() ?? plainScreen(messages.finishing, retry());
    case 'stopping':
      return plainScreen(messages.finishing, retry());
    case 'waiting':
      return plainScreen(messages.waiting, retry());
    case 'opening':
    case 'creating':
      return plainScreen(messages.connecting, retry());
    case 'thanks':
      return thanksScreen(words.thanks, codes(...fileOnDisk(app)));
    case 'kept':
      return [...plainScreen([words.thanks.title, words.stop.kept], ...saveAgain(app)), codes(...ownCode(app))];
    case 'deleted':
      return plainScreen([words.thanks.title, words.stop.deleted]);
    case 'elsewhere':
      return plainScreen(messages.elsewhere, button(messages.takeOver, 'primary', () => app.open(true)));
    case 'closed':
      return plainScreen(messages.closed);
    case 'unknown':
      return plainScreen(
        messages.unknown,
        button(messages.startAgain, 'primary', () => {
          session.wipe();
          app.open();
        }),
      );
    case 'practice':
    case 'feedback':
    case 'trial':
      return null;
  }
}

/** Tell whether nothing is to be done at a place but wait; such a screen comes only if the wait is felt. */
export function isWait(place: Place, app: App): boolean {
  const waits: readonly Place[] = ['opening', 'creating', 'waiting', 'finishing', 'stopping'];
  return waits.includes(place) && !(place === 'finishing' && app.setting.disk);
}

function saveAgain({ setting: { disk } }: App): HTMLElement[] {
  return disk ? [button(messages.saveAnswers, '', () => disk.saveFile())] : [];
}

function fileOnDisk(app: App): HTMLElement[] {
  const { disk } = app.setting;
  if (!disk) return [];
  return [
    actions(...saveAgain(app), button(messages.deleteLocal, 'quiet', () => disk.deleteLocal())),
    ...ownCode(app),
  ];
}

/** Static page: nobody but the file knows this participant, so its own id is the code to have the answers deleted. */
function ownCode({ session, setting: { disk } }: App): HTMLElement[] {
  const saved = session.saved();
  return disk && saved ? codeLines(messages.ownCode, saved.token, 'withdrawal') : [];
}
