/** What the browser tells about the page: seen or hidden, focus, copies, connection, leaving and coming back. */

export interface PageListener {
  seen(visible: boolean): void;
  focus(has: boolean): void;
  copied(selection: Selection): void;
  online(): void;
  resized(): void;
  leaving(): void;
  /** The page comes back from the browser's cache as it was left. */
  returned(): void;
  /** Say that this tab is there, and see whether another one has taken over. */
  alive(): void;
  /** From time to time. */
  tick(): void;
  /** Whether something would be lost if the page were closed now. */
  fragile(): boolean;
}

const TICK_MS = 5000;

export function listenToPage(listener: PageListener): void {
  let here = true; // a page that was left hears nothing until it comes back
  const on = (target: EventTarget, type: string, call: () => void): void =>
    target.addEventListener(type, () => {
      if (here) call();
    });
  on(document, 'visibilitychange', () => {
    const visible = document.visibilityState === 'visible';
    if (visible) listener.alive();
    listener.seen(visible);
  });
  on(document, 'copy', () => {
    const selection = document.getSelection();
    if (selection) listener.copied(selection);
  });
  on(window, 'blur', () => listener.focus(false));
  on(window, 'focus', () => listener.focus(true));
  on(window, 'online', () => listener.online());
  on(window, 'storage', () => listener.alive());
  on(window, 'resize', () => listener.resized());
  on(window, 'pagehide', () => {
    listener.leaving();
    here = false;
  });
  setInterval(() => {
    if (!here) return;
    listener.alive();
    listener.tick();
  }, TICK_MS);
  window.addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    here = true;
    listener.returned();
  });
  window.addEventListener('beforeunload', (event) => {
    if (listener.fragile()) event.preventDefault();
  });
}
