import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { transformSync } from 'esbuild';
import { packNpm } from '../../scripts/lib/package.mjs';
import { assertGolden } from '../support/golden.ts';
import { temporaryFolder } from '../support/temporary.ts';

const ROOT = join(import.meta.dirname, '../..');
const npm = (args: readonly string[], cwd = ROOT): string =>
  execFileSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd, encoding: 'utf8' });

/** Replaces the hashes in names of chunks. */
const stable = (names: readonly string[]): string =>
  `${[...new Set(names.map((name) => name.replace(/-[A-Z0-9]{8}\.js/, '-HASH.js').replace(/chunk-HASH\.js/, 'chunk-*.js')))].sort().join('\n')}\n`;

/** Names of the files of a .vsix, a zip archive, from the directory at its end. */
function namesInVsix(file: string): string[] {
  const zip = readFileSync(file);
  const end = zip.lastIndexOf('PK\u0005\u0006');
  const count = zip.readUInt16LE(end + 10);
  let at = zip.readUInt32LE(end + 16);
  return Array.from({ length: count }, () => {
    const [name, extra, comment] = [28, 30, 32].map((field) => zip.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ];
    const from = at + 46;
    at = from + name + extra + comment;
    return zip.toString('utf8', from, from + name).replace(/^extension\//, '');
  });
}

/** The example in the comment at the head of an entry. */
function exampleOf(file: string): string {
  const source = readFileSync(join(ROOT, file), 'utf8').replaceAll(/^ \* ?/gm, '');
  const example = /```ts\n([\s\S]*?)```/.exec(source)?.[1];
  assert.ok(example, `${file} has an example`);
  return example;
}

describe('the .vsix', () => {
  it('contains the files that run in the editor, and nothing else', () => {
    // The stage "package" makes it.
    assertGolden('vsix.txt', stable(namesInVsix(join(ROOT, 'out/sextant-code.vsix'))));
  });
});

describe('the npm package', () => {
  const folder = temporaryFolder();
  let consumer: string;
  let installed: string;
  const run = (args: readonly string[]): string =>
    execFileSync(process.execPath, args, { cwd: consumer, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

  before(async () => {
    const place = folder();
    consumer = join(place, 'consumer');
    installed = join(consumer, 'node_modules/sextant-code');
    mkdirSync(consumer);
    writeFileSync(join(consumer, 'package.json'), JSON.stringify({ name: 'consumer', type: 'module', private: true }));
    npm(['install', '--offline', '--omit=peer', await packNpm(place)], consumer);
    const engine = exampleOf('src/index.ts').replace('/tmp/my-index', join(place, 'index'));
    const found = "if (hit?.path !== 'src/query.ts') throw new Error('not found');";
    writeFileSync(join(consumer, 'example.mts'), `${engine}\n${found}\n`);
    const testing = `${exampleOf('src/server/testing.ts')}\nif (!response.ok) throw new Error('not answered');\n`;
    writeFileSync(join(consumer, 'testing.mts'), testing);
    cpSync(join(ROOT, 'test/fixtures/sdkProgram.mts'), join(consumer, 'sdkProgram.mts'));
  });

  it('contains the library, the command and the declarations that they need, and nothing else', () => {
    const files = readdirSync(installed, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    assertGolden('npm.txt', stable(files.map((entry) => relative(installed, join(entry.parentPath, entry.name)))));
  });

  it('has a manifest with existing paths, and without fields of the extension', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>;
    const paths: readonly string[] = JSON.stringify(manifest).match(/(?<=")\.\/[^"]+/g) ?? [];
    for (const path of ['main', 'types'].map((field) => manifest[field])) assert.ok(paths.includes(String(path)));
    for (const path of paths)
      assert.ok(path === './testing' || existsSync(join(installed, path.replace('*', 'search'))), path);
    for (const field of ['contributes', 'devDependencies', 'scripts', 'activationEvents'])
      assert.equal(manifest[field], undefined, field);
  });

  for (const [resolution, module] of [
    ['node10', 'esnext'],
    ['node16', 'node16'],
    ['nodenext', 'nodenext'],
    ['bundler', 'esnext'],
    ['bundler', 'preserve'],
  ] as const)
    it(`compiles with module ${module} and moduleResolution ${resolution}, also the program for the original SDK`, () => {
      const options = [
        '--module',
        module,
        '--moduleResolution',
        resolution,
        '--target',
        'es2023',
        '--strict',
        '--noEmit',
      ];
      const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
      // TypeScript 6 deprecates node10, but compiles with it; TypeScript 7 does not have it.
      const [compiler, ...old] =
        resolution === 'node10' ? ['typescript', '--ignoreDeprecations', '6.0'] : ['typescript-native'];
      const files = ['example.mts', 'testing.mts', 'sdkProgram.mts'];
      run([join(ROOT, 'node_modules', compiler, 'bin/tsc'), ...options, ...types, ...old, ...files]);
    });

  it('cannot be packed from the folder of the extension by mistake', () => {
    assert.throws(() => execFileSync('npm', ['pack', '--dry-run'], { cwd: ROOT, stdio: 'pipe' }), /npm run package"/);
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    // npm runs `prepack` before a script `pack`, too.
    assert.ok('package' in scripts && !('prepackage' in scripts));
  });

  describe('at run time', () => {
    it('runs the examples of its documentation, and the program for the original SDK', () => {
      for (const name of ['example', 'testing', 'sdkProgram']) {
        // Node 20 cannot run TypeScript.
        const { code } = transformSync(readFileSync(join(consumer, `${name}.mts`), 'utf8'), { loader: 'ts' });
        writeFileSync(join(consumer, `${name}.mjs`), code);
        run([`${name}.mjs`]);
      }
    });

    it('can be loaded by require()', () => {
      writeFileSync(join(consumer, 'load.cjs'), "console.log(typeof require('sextant-code').Engine.open)");
      assert.equal(run(['load.cjs']), 'function\n');
    });

    it('keeps the names of its classes', () => {
      const script = `
        for (const entry of ['sextant-code', 'sextant-code/testing'])
          for (const [name, value] of Object.entries(await import(entry)))
            if (typeof value === 'function') console.log(name === value.name ? 'kept' : \`\${name} is \${value.name}\`);`;
      writeFileSync(join(consumer, 'names.mjs'), script);
      assert.deepEqual(new Set(run(['names.mjs']).trim().split('\n')), new Set(['kept']));
    });

    it('has the command', () => {
      const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}` };
      const file = join(consumer, 'node_modules/.bin/sextant');
      const command = execFileSync(file, ['--version'], { encoding: 'utf8', env });
      assert.match(command, /^\d+\.\d+\.\d+\n$/);
    });
  });
});
