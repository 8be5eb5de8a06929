import { basename } from 'node:path';
import type { Suite } from 'mocha';

export type Part = 'newest' | 'oldest';

/**
 * The editor that runs all tests of a file, and those that run in the other editor, too. Files that are not listed run in both.
 * What a command does to accounts, budgets or webhooks is the same in each version of the editor; that it is registered, opens
 * its documents and starts its server is shown in both. `npm run soak` runs all tests in both.
 */
const PARTS: Readonly<Record<string, { readonly all: Part; readonly both: readonly string[] }>> = {
  analytics: { all: 'oldest', both: ['are loaded from the connected service, whose token is in no file'] },
  budgets: { all: 'oldest', both: ['imports a file with a preview and a report, exports it, and undoes it'] },
  search: {
    all: 'oldest',
    both: ['finds code by plain words', 'finds unsaved text with its lines, and drops it when it is undone'],
  },
  ask: { all: 'newest', both: ['search the workspace, and read the lines of results'] },
  experts: { all: 'newest', both: ['answer a question about the workspace, which is stored with the event'] },
  server: {
    all: 'newest',
    both: ['starts, serves the data file at the copied address with the copied token, and stops'],
  },
  webhooks: { all: 'newest', both: ['are created, and show their secret once, to copy'] },
};

/** Removes the tests that run in the other editor alone, from each file as it is loaded. */
export function keepPart(root: Suite, part: Part): void {
  root.on('post-require', (_: unknown, file: string) => {
    const { all, both } = PARTS[basename(file, '.test.cjs')] ?? { all: part, both: [] };
    if (all === part) return;
    const found: string[] = [];
    for (const suite of root.suites.filter((one) => one.file === file)) {
      suite.tests = suite.tests.filter(({ title }) => both.includes(title));
      found.push(...suite.tests.map(({ title }) => title));
    }
    const missing = both.filter((title) => !found.includes(title));
    if (missing.length > 0) throw new Error(`${file} has no test "${missing.join('", "')}", which parts.ts names`);
  });
}
