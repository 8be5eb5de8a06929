// VS Code requires this module in the extension host and awaits run(). The results go to a file, because the browser's
// console shows mocha's reporter unformatted.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type Mocha from 'mocha';
import { keepPart } from './parts.ts';
import { sextant } from './support.ts';

interface Result {
  readonly title: string;
  readonly state: 'passed' | 'failed' | 'pending' | 'retried';
  readonly ms: number;
  readonly error?: string;
}

export async function run(): Promise<void> {
  const { SEXTANT_TEST_GREP: grep, SEXTANT_TEST_RESULTS: resultsFile, SEXTANT_TEST_PART: part } = process.env;
  const { default: Runner } = await import('mocha');
  const mocha = new Runner({
    ui: 'bdd',
    // Longer than `until` waits, so that it names what did not come.
    timeout: 150_000,
    color: false,
    reporter: 'min',
    retries: 1,
    ...(grep && { grep }),
  });
  if (part === 'newest' || part === 'oldest') keepPart(mocha.suite, part);
  // The runner prints what the window says of its tests if one of them failed.
  mocha.rootHooks({
    async afterEach(this: Mocha.Context) {
      const { currentTest: test } = this;
      if (test && !test.isPending() && test.state !== 'passed')
        console.error(`After the test “${test.title}”: ${JSON.stringify(await (await sextant()).status())}`);
    },
  });
  const folder = __dirname;
  for (const name of readdirSync(folder)) if (name.endsWith('.test.cjs')) mocha.addFile(join(folder, name));
  const results: Result[] = [];
  const failures = await new Promise<number>((resolve) => {
    const runner = mocha.run(resolve);
    const push = (test: Mocha.Test, state: Result['state'], error?: Error): void => {
      const title = test.fullTitle();
      results.push({ title, state, ms: test.duration ?? 0, ...(error && { error: error.stack ?? String(error) }) });
    };
    runner.on('pass', (test) => push(test, 'passed'));
    runner.on('fail', (test, error) => push(test, 'failed', error as Error));
    // A retry, for a busy machine; it is reported with the final result of the test.
    runner.on('retry', (test: Mocha.Test, error: Error) => push(test, 'retried', error));
    runner.on('pending', (test) => push(test, 'pending'));
  });
  if (resultsFile) writeFileSync(resultsFile, JSON.stringify(results, null, 1));
  if (failures > 0) throw new Error(`${failures} tests failed`);
}
