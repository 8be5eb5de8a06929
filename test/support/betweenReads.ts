import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Runs `act` once, right after this process has listed a folder for the n-th time from now. */
export function afterListing(n: number, act: () => void): void {
  const original = fs.readdirSync;
  let left = n;
  const replace = (list: typeof fs.readdirSync): void => {
    fs.readdirSync = list;
    syncBuiltinESMExports();
  };
  const patched = (...args: Parameters<typeof original>): unknown => {
    const names = original(...args);
    if (--left === 0) {
      replace(original);
      act();
    }
    return names;
  };
  replace(patched as typeof original);
}
