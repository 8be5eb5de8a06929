import assert from 'node:assert/strict';
import { readData } from './readData.ts';

const user = (name: string): string => JSON.stringify({ kind: 'user', user_email: name });

describe('a data file', () => {
  it('is counted to its last line, ended or not', async () => {
    for (const [text, expected] of [
      ['', 0],
      [user('a'), 1],
      [`${user('a')}\n`, 1],
      [`${user('a')}\n\n${user('b')}`, 3],
    ] as const) {
      let lines = 0;
      await readData([Buffer.from(text)], { onProgress: (read) => (lines = read) });
      assert.equal(lines, expected, text);
    }
  });

  it('is refused with what to do where it is not UTF-8', async () => {
    const text = Buffer.from(`\ufeff${user('a')}`, 'utf16le');
    await assert.rejects(readData([text]), { code: 'BadData', message: /line 1: .*; save the file as UTF-8; nothing/ });
  });

  it('may come byte by byte', async () => {
    const text = Buffer.from(`${user('ñ'.repeat(900))}\r\n${' '.repeat(500_000)}${user('b')}`);
    const bytes = Array.from(text, (_, i) => text.subarray(i, i + 1));
    const lines = [...(await readData(bytes)).lines()].map((line) => JSON.parse(line) as { user_email?: string });
    assert.ok(lines.some(({ user_email }) => user_email === 'ñ'.repeat(900)));
    assert.ok(lines.some(({ user_email }) => user_email === 'b'));
  });
});
