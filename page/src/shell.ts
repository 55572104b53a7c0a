/** What stays around the screens: the bar at the top, the notice and the decision bar at the bottom. */

import { button, el } from './dom';
import { messages } from './messages';
import type { TrialScreen } from './screens/trial';
import type { View } from './screens/view';
import type { Bars } from './sight';

const SAID_FOR_MS = 6000;

export type Shell = ReturnType<typeof createShell>;

export function createShell(stopWord: string, stop: () => void, save: () => void) {
  const notice = el('p', { role: 'status', class: 'notice' });
  const top = el('header');
  const main = el('main');
  const foot = el('footer', {}, notice);
  const stopButton = button(stopWord, 'quiet', stop);
  const saveButton = button(messages.save, 'quiet', save);
  const tools = el('div', { class: 'tools' });
  let fresh = true;
  let silence = 0;
  document.body.replaceChildren(top, main, foot); // the first screen stood there before the script, for who is new here
  document.body.hidden = false;

  /** Each screen begins at its top, with its title in focus; the first leaves the focus to the browser. */
  const arrive = (title: HTMLElement): void => {
    window.scrollTo(0, 0);
    if (!fresh) title.focus({ preventScroll: true });
    fresh = false;
  };
  const say = (text: string, then = text): void => {
    clearTimeout(silence);
    if (notice.textContent !== text) notice.textContent = text;
    if (then !== text) silence = window.setTimeout(say, SAID_FOR_MS, then);
  };
  const covered = (bar: HTMLElement): number => (getComputedStyle(bar).position === 'sticky' ? bar.offsetHeight : 0);

  return {
    /** Show a screen in the middle of the page. */
    showView(view: View): void {
      tools.replaceChildren(saveButton, stopButton);
      top.className = '';
      top.replaceChildren(tools);
      main.className = 'column';
      main.replaceChildren(...view);
      foot.replaceChildren(notice);
      arrive(view[0]);
    },

    /** Show a trial: its title and progress above, its decision below. What is there already stays as it is. */
    showTrial(screen: TrialScreen, focus: HTMLElement): void {
      if (!screen.bar.isConnected) {
        tools.replaceChildren(screen.keysSwitch, saveButton, stopButton);
        top.className = 'ruled';
        top.replaceChildren(screen.title, screen.progress, tools);
        main.className = 'trial';
        main.replaceChildren(...screen.main);
        foot.replaceChildren(notice, screen.bar);
      }
      arrive(focus);
    },

    /** Say which of the quiet buttons apply here. */
    offer(stopping: boolean, saving: boolean): void {
      stopButton.hidden = !stopping;
      saveButton.hidden = !saving;
    },

    /** Say something calmly until something else is to be said, or for a few seconds if that is given too. */
    say,

    /** How much of the window the bars at its edges cover. */
    bars: (): Bars => ({ top: covered(top), bottom: covered(foot) }),
  };
}
