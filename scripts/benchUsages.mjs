// npm run bench:usages [-- --names N] [--examples N]
// Compares find-usages with the TypeScript compiler's references and the definitions of Universal Ctags, on sources that the
// lockfile brings. A usage is right where the compiler sees an identifier of that name; "defined here" is the share of usages
// whose symbol, as far as the compiler knows it, has its definition in the sources. Fails below a recall of 0.99 or a precision of 0.9, by name, in any repository.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureDependencies } from './lib/dependencies.mjs';
import { bringSources } from './lib/packages.mjs';
import { say, sinceStart } from './lib/say.mjs';
import { report } from './lib/report.mjs';

const RECALL = 0.99;
const PRECISION = 0.9;
/** Packages with their sources: one in TypeScript, two in JavaScript. */
const PACKAGES = /** @type {const} */ ([
  ['zod', 'src'],
  ['ajv', 'lib'],
  ['undici', 'lib'],
]);

const { values } = parseArgs({
  options: { names: { type: 'string', default: '100' }, examples: { type: 'string', default: '0' } },
});
await ensureDependencies();
const { compareUsages } = await import('../test/bench/usages.ts');

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sextant-bench-packages-')));
const rows = [
  ['package', 'names', 'references', 'recall', 'usages', 'precision', 'defined here', 'ctags', 'recall', 'ms'],
];
let isGood = true;
try {
  for (const [name, sources] of PACKAGES) {
    bringSources('lockfile', name, '', join(folder, name), folder);
    const root = join(folder, name, sources);
    const figures = await compareUsages({ root, packageName: name }, Number(values.names), Number(values.examples));
    const { names, references, found, usages, right, resolved, tags, medianMs, missed, wrong } = figures;
    const recall = found / references;
    const precision = right / usages;
    const tagged = tags && tags.found / tags.all;
    isGood &&= recall >= RECALL && precision >= PRECISION && (tagged === undefined || tagged >= RECALL);
    rows.push([
      `${name}/${sources}`,
      String(names),
      String(references),
      recall.toFixed(4),
      String(usages),
      precision.toFixed(3),
      (resolved / usages).toFixed(3),
      String(tags?.all ?? 'no ctags'),
      tagged?.toFixed(4) ?? '',
      medianMs.toFixed(1),
    ]);
    for (const one of missed) console.log(`missed ${one}`);
    for (const one of wrong) console.log(`wrong ${one}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
report('usages', rows);
say(`${isGood ? 'Passed' : 'Failed'}: recall ≥ ${RECALL}, precision ≥ ${PRECISION}, by name (${sinceStart()}).`);
process.exitCode = isGood ? 0 : 1;
