/** Chance from the operating system: ids, waiting times, and a plan for those who come without a code. */

/** Give 128 random bits, fit for an address. */
export function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Give a number from 0 up to, but not including, 1. */
export function randomShare(): number {
  return (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32;
}
