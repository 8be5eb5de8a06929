// npm run test:opensearch [-- SPEC…]
// Tests on a cluster of OpenSearch, which Maven brings. Without Java or Maven nothing is tested, and it reports that.
import { spawnSync } from 'node:child_process';
import { ensureDependencies, pinnedNode, root } from './lib/dependencies.mjs';
import { ensureOpenSearch, missingForOpenSearch } from './lib/opensearch.mjs';
import { say } from './lib/say.mjs';

await ensureDependencies();
const missing = missingForOpenSearch();
if (missing !== undefined) say(`OpenSearch is not tested: this machine lacks ${missing}.`);
else {
  await ensureOpenSearch();
  const specs = process.argv.length > 2 ? process.argv.slice(2) : ['test/opensearch/**/*.test.ts'];
  const args = ['--no-config', ...specs.flatMap((spec) => ['--spec', spec]), '--timeout', '600000'];
  const { status } = spawnSync(pinnedNode(), ['node_modules/mocha/bin/mocha.js', ...args], {
    cwd: root,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}
