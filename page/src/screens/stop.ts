/** The question whether to stop, over whatever screen is there. */

import { actions, button, el } from '../dom';
import type { StopWording } from '../wire.gen';

/** Make the dialog; what it gives back opens and closes it, and closing gives the focus back to where it was. */
export function createStopDialog(words: StopWording, chosen: (keep: boolean) => void, cancelled: () => void): (open: boolean) => void {
  const back = button(words.back, '', cancelled);
  back.autofocus = true;
  const dialog = el(
    'dialog',
    { 'aria-labelledby': 'stop-title', 'aria-describedby': 'stop-text' },
    el('h2', { id: 'stop-title' }, words.title),
    el('p', { id: 'stop-text' }, words.text),
    actions(button(words.keep, '', () => chosen(true)), button(words.delete, '', () => chosen(false)), back),
  );
  dialog.addEventListener('close', cancelled); // by Escape, for one
  document.body.append(dialog);
  return (open) => {
    if (open && !dialog.open) dialog.showModal();
    if (!open) dialog.close();
  };
}
