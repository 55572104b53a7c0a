/** The little of Node's test runner that the tests use, so that no package of types is needed. */

declare module 'node:test' {
  export function test(promise: string, check: () => void | Promise<void>): void;
}

declare module 'node:assert/strict' {
  interface Assert {
    (value: unknown, message?: string): asserts value;
    equal<T>(actual: unknown, expected: T, message?: string): asserts actual is T;
    deepEqual(actual: unknown, expected: unknown, message?: string): void;
    ok(value: unknown, message?: string): asserts value;
    doesNotMatch(text: string, pattern: RegExp): void;
  }
  const assert: Assert;
  export default assert;
}
