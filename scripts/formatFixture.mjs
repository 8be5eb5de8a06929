// npm run fixture:format
// Writes a small index of the present format to test/fixtures/formats, which has one of each released format.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureDependencies, root } from './lib/dependencies.mjs';
import { say } from './lib/say.mjs';

await ensureDependencies();
const { Engine } = await import('../src/engine/engine.ts');
const { documentId } = await import('../src/engine/documentId.ts');
const { ANALYSIS_VERSION, FORMAT_VERSION } = await import('../src/engine/index/format.ts');

const texts = /** @type {Record<string, string>} */ ({
  'src/lantern.ts': 'export class Lantern {\n  light(): void {}\n}\n',
  'src/harbour.py': 'def enter_harbour(ship):\n    return ship.lantern\n',
  'docs/guide.md': '# Harbour guide\n\nHow a ship finds its way by lantern.\n',
});
const gone = { path: 'src/gone.ts', text: 'const lantern = "removed";\n' };
const expected = {
  ids: Object.entries(texts).map(([path, text]) => documentId(path, Buffer.from(text))),
  queries: {
    lantern: Object.keys(texts),
    enterHarbour: ['docs/guide.md', 'src/harbour.py'],
    removed: [],
  },
};

const folder = join(root, `test/fixtures/formats/format-${FORMAT_VERSION}-analysis-${ANALYSIS_VERSION}`);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const index = join(folder, 'index');
const engine = Engine.open(index);
/** @param {string} path @param {string} text */
const document = (path, text) => ({
  id: documentId(path, Buffer.from(text)),
  path,
  content: Buffer.from(text),
});
const [first, ...rest] = Object.entries(texts).map(([path, text]) => document(path, text));
// Two segments, one with deletions, which are too few for a merge.
await engine.apply({ add: [document(gone.path, gone.text), ...rest] });
await engine.apply({ ...(first && { add: [first] }), remove: [document(gone.path, gone.text).id] });
await engine.settle();
await engine.close();
for (const name of readdirSync(index)) if (name.endsWith('.lock')) rmSync(join(index, name));
writeFileSync(join(folder, 'expected.json'), `${JSON.stringify(expected, null, 2)}\n`);
say(`${readdirSync(index).join(', ')} are in ${folder}.`);
