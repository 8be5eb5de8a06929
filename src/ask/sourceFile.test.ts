import assert from 'node:assert/strict';
import { SourceFile } from './sourceFile.ts';

describe('SourceFile', () => {
  const job = (name: string, steps: number): string =>
    `  ${name}:\n    steps:\n${'      - run: test\n        if: always()\n'.repeat(steps)}`;
  const quoted = (text: string, line: number): string => {
    const file = new SourceFile('.github/workflows/ci.yml', text);
    const { startLine, endLine, definition } = file.quote({ startLine: line, endLine: line }, ['test'], 40, 'yaml');
    return `${definition?.name} ${startLine}-${endLine}`;
  };

  it('quotes short data whole, of other data the outermost section that fits', () => {
    assert.equal(quoted(`name: CI\njobs:\n${job('build', 3)}`, 6), 'undefined 1-10');
    assert.equal(quoted(`name: CI\non: push\njobs:\n${job('build', 10)}${job('deploy', 10)}`, 8), 'build 4-25');
  });
});
