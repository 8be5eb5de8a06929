import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getEncoding } from 'js-tiktoken';
import { countTokens } from './tokens.ts';

describe('The estimate of tokens', () => {
  const encoding = getEncoding('o200k_base');
  const folder = join(import.meta.dirname, '../../test/fixtures');
  const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:ts|js|py|go|rs|java|rb|c|h|cpp|php|md|sql|html|css)$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }))
    .filter(({ text }) => text.length > 300 && text.length < 20_000)
    .slice(0, 60);

  it('is near that of a tokenizer for code and pages, and all in all not below it', () => {
    const real = texts.map(({ text }) => encoding.encode(text, 'all').length);
    const ours = texts.map(({ text }) => countTokens(text));
    const shares = ours.map((count, i) => count / real[i]!);
    const far = texts.flatMap(({ path }, i) => (shares[i]! < 0.75 || shares[i]! > 1.6 ? [`${path} ${shares[i]}`] : []));
    const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0);
    assert.ok(texts.length >= 20, `${texts.length} files`);
    assert.deepEqual(far, []);
    assert.ok(sum(ours) / sum(real) >= 1 && sum(ours) / sum(real) < 1.3, String(sum(ours) / sum(real)));
  });
});
