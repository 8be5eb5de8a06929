import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';

const COMMAND = join(import.meta.dirname, '../../dist/cli/sextant.js');
const RULE = '{"and": [{"==": [{"var": "action"}, "opened"]}, {"in": ["bug", {"var": "labels"}]}]}';

describe('sextant filters test', () => {
  const folder = temporaryFolder();
  let root: string;
  before(() => {
    root = folder();
    writeFiles(root, {
      'rule.json': `\uFEFF${RULE}\n`,
      'opened.json': '{"action": "opened", "labels": ["bug"]}',
      'closed.json': '{"action": "closed", "labels": null}',
      'wrong.json': '{"equals": [1, 1]}',
      'text.txt': 'no JSON',
    });
  });

  function test(...args: readonly string[]): { code: number | null; stdout: string; stderr: string } {
    const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, 'filters', 'test', ...args], {
      cwd: root,
      encoding: 'utf8',
      input: '{"action": "opened"}',
    });
    return { code: status, stdout, stderr };
  }

  it('succeeds if the filter fires for every payload, and describes the filter', () => {
    assert.deepEqual(test('rule.json', 'opened.json'), {
      code: 0,
      stdout: 'opened.json: fires\n',
      stderr: 'Fires when `action` is "opened" and `labels` contains "bug"\n',
    });
    assert.equal(test(RULE, 'opened.json').code, 0);
  });

  it('fails if the filter does not fire for a payload, and explains why', () => {
    const { code, stdout } = test('rule.json', 'opened.json', 'closed.json', '-');
    assert.equal(code, 1);
    assert.equal(
      stdout,
      [
        'opened.json: fires',
        'closed.json: does not fire: `action` is "opened": `action` was "closed"',
        '-: does not fire: `labels` contains "bug": `labels` is missing',
        '',
      ].join('\n'),
    );
    assert.equal(test('rule.json', 'closed.json', '--none').code, 0);
    assert.equal(test('rule.json', 'opened.json', 'closed.json', '--none').code, 1);
  });

  it('prints the evaluation as a tree or as JSON', () => {
    assert.match(test('rule.json', 'closed.json', '--explain').stdout, /\n {4}and → false\n {6}== → false\n/);
    const { code, stdout, stderr } = test('rule.json', 'closed.json', '--json');
    assert.deepEqual([code, stderr], [1, '']);
    const { words, results } = JSON.parse(stdout) as { words: string; results: { file: string; fires: boolean }[] };
    assert.match(words, /^`action` is/);
    assert.deepEqual(
      results.map(({ file, fires }) => [file, fires]),
      [['closed.json', false]],
    );
  });

  it('reports an invalid rule or payload as a failure, not as a result', () => {
    const wrong: readonly [args: string[], message: RegExp][] = [
      [['wrong.json', 'opened.json'], /^sextant: wrong\.json: there is no operator "equals"/],
      [['{"==": [1, ', 'opened.json'], /^sextant: filter: is not JSON/],
      [['nowhere.json', 'opened.json'], /^sextant: nowhere\.json cannot be read/],
      [['rule.json', 'text.txt'], /^sextant: text\.txt is not JSON\./],
      [['rule.json'], /^sextant: Name files with payloads, or a --webhook/],
    ];
    for (const [args, message] of wrong) {
      const { code, stderr } = test(...args);
      assert.equal(code, 2, args.join(' '));
      assert.match(stderr, message);
    }
  });
});
