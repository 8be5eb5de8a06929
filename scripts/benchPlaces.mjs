// npm run bench:places [-- --all] [--ablate] [--repository NAME]… [--most N] [--json FILE]
// Measures which place search shows first, with free questions: the first sentence of a comment, which is hidden from the index,
// asks for the definition below. Beside it runs MiniSearch over the same definitions. See test/bench/places/. By default it asks
// packages of the lockfile, to which the weights are not fitted. --all brings the packages of test/bench/places/packages.tsv
// from their registries into out/bench-places (or BENCH_PLACES), about 2 GB, and measures each with weights that are fitted to
// others. --ablate fits without each group of features as well.
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureDependencies, pinnedNode, root } from './lib/dependencies.mjs';
import { bringPlaces } from './lib/places.mjs';
import { fail, step } from './lib/say.mjs';

const { values } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    ablate: { type: 'boolean', default: false },
    repository: { type: 'string', multiple: true, default: [] },
    most: { type: 'string', default: '150' },
    json: { type: 'string' },
  },
});
await ensureDependencies();
const { placePackages } = await import('../test/bench/places/packages.ts');
const wanted = placePackages().filter(({ registry, name }) =>
  values.repository.length > 0 ? values.repository.includes(name) : values.all !== (registry === 'lockfile'),
);
if (wanted.length === 0) fail('There is no such package in test/bench/places/packages.tsv.');
const options = {
  repositories: await step('Bringing packages', () => bringPlaces(wanted)),
  most: Number(values.most),
  ablate: values.ablate,
  ...(values.json !== undefined && { json: resolve(process.env.INIT_CWD ?? '.', values.json) }),
};
const script = join(root, 'test/bench/places/run.ts');
const memory = '--max-old-space-size=8192';
const { status } = spawnSync(pinnedNode(), [memory, script, JSON.stringify(options)], { stdio: 'inherit' });
process.exitCode = status ?? 1;
