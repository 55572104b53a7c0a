/** What the browser keeps for us, or the page's own memory where it keeps nothing. */

export interface Store {
  /** False when everything is gone with the page. */
  durable(): boolean;
  get(key: string): string | null;
  set(key: string, value: string): void;
  remove(key: string): void;
}

const PROBE = 'survey/probe';

/**
 * Open the browser's storage. Private modes, full disks and settings may refuse it, at once or later: what the
 * browser does not keep lives in memory.
 */
export function openStore(browser: () => Storage): Store {
  const memory = new Map<string, string>();
  let storage: Storage | null = null;
  let durable = true;

  const attempt = <T>(use: (storage: Storage) => T): T | null => {
    try {
      storage ??= browser();
      return use(storage);
    } catch {
      durable = false;
      return null;
    }
  };
  const set = (key: string, value: string): void => {
    memory.set(key, value);
    const kept = attempt((each) => {
      each.setItem(key, value);
      return true;
    });
    if (kept) memory.delete(key);
  };
  const remove = (key: string): void => {
    memory.delete(key);
    attempt((each) => each.removeItem(key));
  };

  set(PROBE, PROBE);
  remove(PROBE);
  return {
    durable: () => durable,
    get: (key) => memory.get(key) ?? attempt((each) => each.getItem(key)),
    set,
    remove,
  };
}
