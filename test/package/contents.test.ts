import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertGolden } from '../support/golden.ts';
import { temporaryFolder } from '../support/temporary.ts';

const ROOT = join(import.meta.dirname, '../..');
const npm = (args: readonly string[], cwd = ROOT): string =>
  execFileSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd, encoding: 'utf8' });

/** Chunks are named by their content. */
const stable = (names: readonly string[]): string =>
  `${[...new Set(names.map((name) => name.replace(/-[A-Z0-9]{8}\.js/, '-HASH.js').replace(/chunk-HASH\.js/, 'chunk-*.js')))].sort().join('\n')}\n`;

/** The example in the comment at the head of an entry. */
function exampleOf(file: string): string {
  const source = readFileSync(join(ROOT, file), 'utf8').replaceAll(/^ \* ?/gm, '');
  const example = /```ts\n([\s\S]*?)```/.exec(source)?.[1];
  assert.ok(example, `${file} has an example`);
  return example;
}

describe('packages', () => {
  const folder = temporaryFolder();

  it('put into the .vsix what runs there, and nothing else', () => {
    const vsce = join(ROOT, 'node_modules/@vscode/vsce/vsce');
    const listed = execFileSync(process.execPath, [vsce, 'ls', '--no-dependencies'], { cwd: ROOT, encoding: 'utf8' });
    // vsce runs vscode:prepublish first, which speaks too.
    assertGolden('vsix.txt', stable(listed.split('\n').filter((line) => /^[\w./-]+\.\w+$|^LICENSE$/.test(line))));
  });

  it('give a library with types and a command to whoever installs the npm package', () => {
    const place = folder();
    const [packed] = JSON.parse(npm(['pack', '--json', '--ignore-scripts', '--pack-destination', place])) as [
      { filename: string; files: { path: string }[] },
    ];
    assertGolden(
      'npm.txt',
      stable(packed.files.map(({ path }) => path).filter((path) => !path.startsWith('dist/types/'))),
    );
    const consumer = join(place, 'consumer');
    mkdirSync(consumer);
    writeFileSync(join(consumer, 'package.json'), JSON.stringify({ name: 'consumer', type: 'module', private: true }));
    npm(['install', '--offline', join(place, packed.filename)], consumer);
    const engine = exampleOf('src/index.ts').replace('/tmp/my-index', join(place, 'index'));
    writeFileSync(
      join(consumer, 'example.mts'),
      `${engine}\nif (hit?.path !== 'src/query.ts') throw new Error('not found');\n`,
    );
    const testing = `${exampleOf('src/server/testing.ts')}\nif (!response.ok) throw new Error('not answered');\n`;
    writeFileSync(join(consumer, 'testing.mts'), testing);
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const options = [
      '--module',
      'nodenext',
      '--strict',
      '--noEmit',
      '--types',
      'node',
      '--typeRoots',
      join(ROOT, 'node_modules/@types'),
    ];
    execFileSync(process.execPath, [tsc, ...options, 'example.mts', 'testing.mts'], {
      cwd: consumer,
      stdio: 'inherit',
    });
    for (const file of ['example.mts', 'testing.mts'])
      execFileSync(process.execPath, [file], { cwd: consumer, stdio: 'inherit' });
    const command = execFileSync(join(consumer, 'node_modules/.bin/sextant'), ['--version'], { encoding: 'utf8' });
    assert.match(command, /^\d+\.\d+\.\d+\n$/);
  });
});
