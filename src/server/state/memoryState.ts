import { randomBytes } from 'node:crypto';
import type { ServerState } from './serverState.ts';

/** The state of a server that writes no files, such as one in a test. */
export function memoryState(): ServerState {
  return {
    fence: undefined,
    folder: undefined,
    address: undefined,
    cursorKey: randomBytes(32),
    changes: [],
    publish: () => undefined,
    append: () => Promise.resolve(),
    replace: () => Promise.resolve(),
    receive: (bytes) => ({ bytes, keep: () => Promise.resolve({ file: '' }), discard: () => Promise.resolve() }),
    read: () => {
      throw new Error('A state in memory has no files.');
    },
    pathOf: ({ file }) => file,
    close: () => Promise.resolve(),
  };
}
