import assert from 'node:assert/strict';
import { searchFiles } from '../../../../test/support/searchFiles.ts';
import { temporaryFolder } from '../../../../test/support/temporary.ts';
import { documentId } from '../../documentId.ts';
import { Engine } from '../../engine.ts';

/* What people type and paste, beside questions. */

describe('a search for typed text', () => {
  const folder = temporaryFolder();

  /** `path:line` of the results, best first. */
  async function find(files: Readonly<Record<string, string>>, query: string): Promise<string[]> {
    const hits = await searchFiles(folder(), files, query, 50);
    return hits.map(({ path, startLine }) => `${path}:${startLine}`);
  }

  const filler = Array.from({ length: 90 }, (_, i) => `const other${i} = ${i};`).join('\n');

  describe('verbatim', () => {
    const hub = '// lantern at the harbour, the lantern of the quay\nfunction lightLantern() {}\n\n'.repeat(9);
    const line = 'throw new Error(`the harbour has no lantern at ${quay}`);';

    it('puts a file with the words in their order first, and shows that line', async () => {
      const files = { 'lantern/harbour/quay.ts': hub, 'src/z.ts': `${filler}\n\n  ${line}\n` };
      // The chunk of the line begins with the blank line above it.
      assert.equal((await find(files, 'the harbour has no lantern at quay'))[0], 'src/z.ts:91');
      assert.equal((await find(files, line))[0], 'src/z.ts:91');
      assert.equal((await find(files, 'harbour lantern quay'))[0], 'lantern/harbour/quay.ts:1');
    });

    it('is the code of a message that many tests expect, whatever the number of tests', async () => {
      const test = (i: number): string =>
        `test('lantern ${i}', () => expect(quay(${i})).throws('the harbour has no lantern at'));\n`;
      const tests = Array.from({ length: 40 }, (_, i) => [`test/harbour${i}.test.ts`, test(i).repeat(3)] as const);
      const files = {
        'lantern/harbour/quay.ts': hub,
        'src/z.ts': `${filler}\n\n  ${line}\n`,
        ...Object.fromEntries(tests),
      };
      assert.equal((await find(files, 'the harbour has no lantern at quay'))[0], 'src/z.ts:91');
      assert.equal((await find(files, 'the harbour has no lantern at'))[0], 'src/z.ts:91');
      assert.match((await find(files, 'test that the harbour has no lantern at'))[0]!, /^test/);
    });

    it('is a part in code before the whole in tests and pages', async () => {
      const files = {
        'lantern/harbour/quay.ts': hub,
        'CHANGELOG.md': '# 1.2\n\n- Fixed: error: the harbour has no lantern at the quay of the pier (#12)\n',
        'src/z.c': `${filler}\n\n// The harbour has no lantern at\n// the quay of the pier.\n`,
      };
      const query = 'error: the harbour has no lantern at the quay of the pier';
      assert.match((await find(files, query)).slice(0, 2).join(' '), /^src\/z.c:\d+ CHANGELOG.md:1$/);
    });

    it('is no part in a test, where code has the words apart', async () => {
      const files = {
        'src/CreateLantern.php':
          "<?php\nclass CreateLantern { protected $signature = 'quay:create-lantern\n  {--harbour}'; }\n".repeat(3),
        'tests/LanternTest.php': `${filler}\n$this->run('harbour quay create lantern', ['--pier']);\n`,
      };
      assert.match((await find(files, 'php harbour quay create lantern'))[0]!, /^src/);
    });

    it('counts copies for other languages once', async () => {
      const text = "return [\n  'none' => 'The harbour has no lantern at that quay',\n];\n";
      const locales = ['cs', 'da', 'de', 'es', 'fr', 'it', 'nl', 'pl', 'ru', 'sv'];
      const files = {
        'lantern/harbour/quay.ts': hub,
        'lang/en/errors.php': filler + text,
        ...Object.fromEntries(locales.map((locale) => [`lang/${locale}/errors.php`, text])),
      };
      assert.match((await find(files, 'The harbour has no lantern at that quay'))[0]!, /^lang\/en\/errors.php/);
    });

    it('counts stop words, and matches whole words only', async () => {
      const files = { 'lantern.ts': hub, 'a.ts': '// to be of a lantern\n', 'b.ts': '// to be or a lanterns\n' };
      assert.equal((await find(files, 'to be of a lantern'))[0], 'a.ts:1');
      assert.equal((await find(files, 'to be or a lantern'))[0], 'lantern.ts:1');
    });

    it('counts in pages only for a whole sentence', async () => {
      const page = '# Try it\n\n- where is a lantern lit\n- how does a lantern at the quay of the harbour burn\n';
      const files = { 'README.md': page, 'lantern.ts': hub + 'function lit() {}\n' };
      assert.equal((await find(files, 'where is a lantern lit'))[0]?.split(':')[0], 'lantern.ts');
      assert.equal((await find(files, 'does a lantern at the quay of the harbour burn'))[0], 'README.md:1');
    });

    it('is found where many files rank higher', async () => {
      const page = '// is equal: an equal path to get, paths that are equal, get equals\nfunction equalPath() {}\n';
      const hubs = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`equal/path${i}.ts`, page.repeat(9)]));
      const pasted = '  assertEqual("/are", e.getPath());';
      const files = { ...hubs, 'test/equal/path.ts': `${filler}\n\n${pasted}\n` };
      assert.equal((await find(files, pasted))[0], 'test/equal/path.ts:91');
    });

    it('is code with its own characters before code with the same words', async () => {
      const files = {
        'a.ts': `import { Lantern } from "../../harbour/quay.js"; // lantern lantern\n`,
        'z.ts': `${filler}\n\nimport { Lantern } from "../harbour/quay.js";\n`,
        'lantern.ts': hub,
        're.pl': `unlike $quay, qr/\\[.*\\] \\[debug\\] lantern/;\n`,
      };
      const found = await find(files, 'import { Lantern } from "../harbour/quay.js";');
      assert.deepEqual(found.slice(0, 2), ['z.ts:91', 'a.ts:1']);
      assert.equal((await find(files, 'unlike $quay, qr/\\[.*\\] \\[debug\\] lantern/;'))[0], 're.pl:1');
    });

    it('is found between quotes where the index has none of its words', async () => {
      const files = { 'a.ts': 'return -2;\n', 'z.ts': `${filler}\n\nreturn -1;\n` };
      assert.deepEqual(await find(files, '"-1"'), ['z.ts:91']);
    });

    it('is a negative number as a whole, with and without quotes', async () => {
      const files = {
        'a.ts': 'x-1; f(2)-1; -12; -1.5; 1;\n',
        'b.ts': 'a = -1;\n',
        'z.ts': `${filler}\n\nreturn -1;\n`,
      };
      assert.deepEqual((await find(files, '-1')).sort(), ['b.ts:1', 'z.ts:91']);
      assert.deepEqual(await find(files, '-12'), ['a.ts:1']);
      assert.deepEqual(await find(files, '-1.5'), ['a.ts:1']);
      assert.deepEqual(await find(files, '-1 -12'), []);
      assert.deepEqual(await find(files, '-1 path:b'), ['b.ts:1']);
      assert.equal((await find(files, 'return -1'))[0], 'z.ts:91');
    });

    it('is a line with a number and its sign, where words are beside', async () => {
      const files = { 'a.ts': 'lantern(-12);\n', 'b.ts': 'lantern(12);\n', 'c.ts': 'lantern(-120);\n' };
      assert.equal((await find(files, 'lantern -12'))[0], 'a.ts:1');
      assert.equal((await find(files, '-12 lantern'))[0], 'a.ts:1');
    });

    it('is a line with a number and the other words, where few have both', async () => {
      const files = { 'lantern/width.ts': hub, 'z.ts': `${filler}\n\nlantern.setWidth(1024, 768);\n` };
      assert.equal((await find(files, 'setWidth 768'))[0], 'z.ts:91');
      assert.equal((await find(files, '768 lantern'))[0], 'z.ts:91');
      assert.equal((await find({ ...files, 'y.py': 'LANTERN_CODES = [502, 429]\n' }, 'lantern 429'))[0], 'y.py:1');
      assert.equal((await find(files, 'width lantern'))[0], 'lantern/width.ts:1');
    });

    it('is most of a long message in a row, at its beginning, in the middle and at its end', async () => {
      const message = Array.from({ length: 120 }, (_, i) => `lantern${i}`);
      const others = [...message].sort();
      const files = {
        'lantern.ts': `// ${others.join(' ')}\n`.repeat(9),
        'z.ts': `${filler}\n\n// ${message.join(', ')}\n`,
      };
      for (const [from, to] of [[0, 90] as const, [15, 105] as const, [30, 120] as const]) {
        const typed = message.map((word, i) => (i >= from && i < to ? word : `harbour${i}`)).join(' ');
        assert.equal((await find(files, typed))[0], 'z.ts:91', `${from}`);
      }
    });

    it('may have any length', async () => {
      const words = Array.from({ length: 20_000 }, (_, i) => `quay${i % 1_500}`);
      const code = words.slice(0, 6_000).map((word) => `${word};`);
      const files = { 'a.ts': `${words.join(' ')}\n`, 'z.ts': `${filler}\n\n${code.join('\n')}\n`, 'lantern.ts': hub };
      assert.equal((await find(files, words.slice(100).join(' '))).length, 3);
      assert.equal((await find(files, `${words.slice(0, 900).join(' ')} lantern`)).length, 3);
      assert.equal((await find(files, code.slice(0, 900).join('\n')))[0], 'z.ts:91');
      assert.equal((await find(files, `"${code.join(' ')}"`))[0], 'z.ts:91');
      assert.equal((await find(files, `lantern ${'"quay" '.repeat(40_000)}`)).length, 3);
      assert.equal((await find(files, `${'quay/'.repeat(100_000)}x`)).length, 3);
    });

    it('is nothing special in many files', async () => {
      const copies = Object.fromEntries(
        Array.from({ length: 9 }, (_, i) => [`copy${i}.ts`, '// the lantern of the quay']),
      );
      const [first] = await find({ ...copies, 'lantern.ts': hub }, 'the lantern of the quay');
      assert.equal(first, 'lantern.ts:1');
    });
  });

  describe('half a name', () => {
    it('puts the definition that begins with it first, the shortest of several', async () => {
      const files = {
        'handle/mm.ts': '// handle mm handle mm\n'.repeat(9),
        'a.ts': `${filler}\nfunction handleMmFaultLater() {}\n`,
        'z.ts': `${filler}\nfunction handleMmFault() {}\n`,
      };
      assert.deepEqual((await find(files, 'handleMmFa')).slice(0, 2), ['z.ts:91', 'a.ts:91']);
      assert.deepEqual((await find(files, 'handle_mm_fau')).slice(0, 1), ['z.ts:91']);
    });

    it('puts a definition first that has it within, however its words are joined', async () => {
      const hub = '// a quay and a lantern, and the quay of a lantern\nfunction lantern() {}\nfunction quay() {}\n';
      for (const [path, definition] of [
        ['z.c', 'static int old_quay_lantern_of(int a)\n{\n\treturn a;\n}\n'],
        ['z.ts', 'export function oldQuayLanternOf() {}\n'],
        ['z.css', '.old-quay-lantern-of {\n  color: red;\n}\n'],
        ['z.go', 'func altesGrößeQuayLantern() {\n}\n'],
      ] as const) {
        const files = { 'hub.ts': hub.repeat(9), [path]: definition };
        assert.equal((await find(files, 'quay_lantern'))[0], `${path}:1`, path);
      }
    });

    it('puts a file first with the name behind a date, if nothing has the name', async () => {
      const files = {
        'tables/lantern.ts': '// create a lantern table, create tables of lanterns\nfunction createTable() {}\n'.repeat(
          9,
        ),
        'db/2024_01_05_create_lantern_table.php':
          "<?php\nreturn new class { function up() { Schema::create('l'); } };\n",
        'db/2024_01_06_create_lantern_tables_view.php': '<?php\nreturn new class {};\n',
      };
      assert.match((await find(files, 'create_lantern_table'))[0]!, /^db\/2024_01_05_create_lantern_table.php/);
    });

    it('comes after the whole name', async () => {
      const files = { 'a.ts': 'function lanternLight() {}\n', 'z.ts': '// a lantern\n' };
      assert.deepEqual(await find(files, 'lantern'), ['z.ts:1', 'a.ts:1'].toSorted());
      assert.equal((await find(files, 'lanter'))[0], 'a.ts:1');
    });
  });

  it('lists the files that define the very name of sym: before longer and decorated ones', async () => {
    const files = {
      'a.c': '#define __LANTERN 1\n',
      'b.c': '#define LANTERN_LIGHT 1\n',
      'c.c': '#define LANTERN 1\n',
      'd.c': '#define __LANTERN 1\n#define LANTERN 2\n',
    };
    assert.deepEqual(await find(files, 'sym:LANTERN'), ['c.c:1', 'd.c:2', 'b.c:1', 'a.c:1']);
  });

  it('lists of those files the one first that has the name of sym:', async () => {
    const files = {
      'a.js': 'exports.Quay = 1;\n',
      'lib/quay.js': 'class Quay {\n}\n',
      'quays.js': 'class Quays {\n}\n',
    };
    const paths = (await find(files, 'sym:Quay')).map((place) => place.split(':')[0]);
    assert.deepEqual(paths, ['lib/quay.js', 'a.js', 'quays.js']);
  });

  it('lists all files that define a match of sym:', async () => {
    const names = Array.from({ length: 3_000 }, (_, i): [string, string] => [
      `f${i}.py`,
      `def alphaThing${i}(): pass\n`,
    ]);
    const engine = Engine.open(folder());
    const add = names.map(([path, text]) => ({
      id: documentId(path, Buffer.from(text)),
      path,
      content: Buffer.from(text),
    }));
    await engine.apply({ add });
    assert.equal((await engine.search('sym:alphaThing*', { limit: Infinity })).length, 3_000);
    await engine.close();
  });

  describe('an option or a setting', () => {
    const uses = '// lantern-depth option, the lantern depth of an option\nfunction lanternDepth() {}\n\n'.repeat(9);

    it('is found where it is defined, before its uses and a whole string elsewhere', async () => {
      const files = {
        'lantern/depth.ts': uses,
        'docs/options.md': '# --lantern-depth\n\nThe lantern depth option.\n',
        'src/a.ts': `${filler}\n\nif (cli.hasOption('lantern-depth')) run();\n`,
        'src/z.py': `x = 1\nparser.add_argument(\n    '-d', '--lantern-depth', type=int)\n`,
        'test/options.test.ts': `addOption('lantern-depth')\n`,
      };
      for (const query of ['--lantern-depth', 'lantern depth option', 'the lantern-depth flag']) {
        assert.deepEqual((await find(files, query)).slice(0, 2), ['src/z.py:1', 'src/a.ts:91'], query);
      }
    });

    it('is found in a folder for the command `build`', async () => {
      const files = {
        'lantern/depth.ts': uses,
        'plugins/depth.go': `${filler}\nreturn errors.New("use --lantern-depth")\n`,
        'commands/build/flags.go': 'package build\n\nset.IntVar(&depth, "lantern-depth", 1)\n',
      };
      assert.match((await find(files, '--lantern-depth'))[0]!, /^commands/);
    });

    it('is found in tables of C, in Go and in Rust', async () => {
      const definitions = {
        'a.c': '{"quay-side", required_argument, NULL, 1},',
        'b.go': 'flag.IntVar(&quay, "quay-side", 1, "the side")',
        'flags.go': 'set.BoolVar(\n\t\t&theQuay.pier.side,\n\t\t"quay-side",\n\t\tfalse)',
        'short.go': 'cmd.PersistentFlags().StringVarP(&quay, "quay-side", "q", "", "the side")',
        'c.rs': '#[arg(long = "quay-side")]',
      };
      for (const [path, text] of Object.entries(definitions)) {
        const files = {
          [path]: text,
          'quay/side.ts': 'function quaySide(quay, side) {}\nread("quay-side");\n'.repeat(9),
        };
        assert.equal((await find(files, '--quay-side'))[0], `${path}:1`);
      }
    });

    it('is found by "where is … configured", in any spelling', async () => {
      const hub = '// where harbour lights are configured, configured lights of a harbour\nlet light;\n'.repeat(9);
      for (const key of ['harbour.lights', 'HARBOUR_LIGHTS', 'harbourLights', 'harbour-lights']) {
        const files = { 'lights/harbour.ts': hub, 'z.ts': `${filler}\n\nconst lit = read("${key}");\n` };
        assert.equal((await find(files, 'where is harbour lights configured'))[0], 'z.ts:92', key);
      }
    });

    it('is found as it is defined on a command line', async () => {
      const files = {
        'ci/build.sh': 'cmake -B build -DLANTERN_TESTS=Off -DLANTERN_DOC=Off\n'.repeat(9),
        'tests/dlantern.cc': '// off dlantern tests, lantern tests\n'.repeat(9),
        'CMakeLists.txt': 'project(quay)\noption(LANTERN_TESTS "Build the tests of the lantern." ON)\n',
        'src/a.c': '#if LANTERN_TESTS\n#endif\n',
      };
      assert.match((await find(files, '-DLANTERN_TESTS=OFF'))[0]!, /^CMakeLists/);
    });

    it('is found where it gets its value, also by its name alone', async () => {
      const uses = '- when: harbour_lights_side == "quay" and harbour_lights_side\n'.repeat(9);
      const settings = [
        'harbour_lights_side: quay',
        "  'harbour_lights_side' => env('QUAY'),",
        'export harbour_lights_side=quay',
        'harbour_lights_side = quay',
      ];
      for (const setting of settings) {
        const others = Array.from({ length: 40 }, (_, i) => [`docs/lights${i}.md`, `${uses}${uses}`] as const);
        const files = { 'tasks/main.yml': uses, ...Object.fromEntries(others), 'z.txt': `${filler}\n\n${setting}\n` };
        for (const query of ['harbour_lights_side', 'where is the harbour lights side set'])
          assert.match((await find(files, query))[0]!, /^z.txt/, setting + query);
      }
    });

    it('gets no value in a text that has its name', async () => {
      const report = `${filler}\n\nprintf(\n  "max_harbour_age:%s\\n",\n  age);\n`;
      const files = { 'a/age.c': 'create("max-harbour-age", &age);\nuse(max_harbour_age);\n', 'b/report.c': report };
      assert.match((await find(files, 'where is the max harbour age set'))[0]!, /^a/);
    });

    it('is nothing special in many files', async () => {
      const many = Object.fromEntries(
        Array.from({ length: 9 }, (_, i) => [`b${i}.ts`, `read("harbour.lights", ${i});\n`]),
      );
      const files = { 'configuredHarbourLights.ts': 'function configureHarbourLights() {}\n'.repeat(9), ...many };
      assert.equal(
        (await find(files, 'where are harbour lights configured'))[0]?.split(':')[0],
        'configuredHarbourLights.ts',
      );
    });
  });

  it('puts files first whose path has the typed part of a path, the most complete first', async () => {
    const files = {
      'src/rules/wrap-regex.js': 'x',
      'src/rules/wrap-regexes-too.js': 'x',
      'docs/wrap.md': '# rules wrap r\n\nsrc rules wrap\n',
      'src/rulesets/wrap-r.js': '// rules/wrap-r\n',
    };
    assert.deepEqual((await find(files, 'rules/wrap-r')).slice(0, 2), [
      'src/rules/wrap-regex.js:1',
      'src/rules/wrap-regexes-too.js:1',
    ]);
    assert.equal((await find(files, './src/rules/wrap-reg'))[0], 'src/rules/wrap-regex.js:1');
    assert.equal((await find(files, 'rules\\wrap-reg'))[0], 'src/rules/wrap-regex.js:1');
  });

  it('puts a file first whose name the query has, in outer folders before inner ones', async () => {
    const files = {
      'index.php': '<?php\nrun();\n',
      'app/Login/index.php': '<?php\nlogin();\n',
      'web.config': '<rewrite url="index.php" />\n'.repeat(5),
      '.gitattributes': 'docs export-ignore\n',
      'app/harbour.service.ts': 'export {};\n',
      'app/warn.php': "<?php\nwarn('Export.php was not found, please export all lights first');\n",
      'app/uses.ts': "import './harbour.service';\n".repeat(5),
      'app/Login/Export.php': '<?php\nclass Export { function ignore() {} }\n',
      'app/autoload.php': "<?php\nreturn ['Login/Export.php', 'Export.php', 'index.php'];\n".repeat(9),
    };
    const paths = async (query: string): Promise<string[]> =>
      (await find(files, query)).map((one) => one.split(':')[0]!);
    assert.deepEqual((await paths('index.php')).slice(0, 2), ['index.php', 'app/Login/index.php']);
    assert.equal((await paths('Export.php'))[0], 'app/Login/Export.php');
    assert.equal((await paths('what does Login/index.php do?'))[0], 'app/Login/index.php');
    const both = (await paths('Why does index.php use `Export.php`?')).slice(0, 3);
    assert.deepEqual(both.sort(), ['app/Login/Export.php', 'app/Login/index.php', 'index.php']);
    assert.equal((await paths('export ignore in .gitattributes'))[0], '.gitattributes');
    assert.equal((await paths('harbour.service'))[0], 'app/harbour.service.ts');
    assert.equal((await paths('explain how the rewriting of urls works in Login/index.php'))[0], 'app/Login/index.php');
    assert.equal((await paths('Export.php was not found, please export all lights first'))[0], 'app/warn.php');
    assert.equal((await paths('who calls other.php'))[0], 'app/autoload.php');
  });

  it('puts that file of many with a name first that the other words mean, and no test', async () => {
    const files = {
      ...Object.fromEntries(['fs', 'io', 'net', 'sync', 'doc'].map((one) => [`src/${one}/mod.rs`, 'mod scheduler;\n'])),
      'src/runtime/scheduler/mod.rs': 'pub fn steal() {}\n',
      'src/runtime/scheduler.rs': '// The scheduler of the mod.\n'.repeat(9),
      'src/view.rs': 'pub fn view() {}\n',
      'tests/view.rs': '// view of mod\n'.repeat(9),
    };
    const first = await find(files, 'mod.rs scheduler');
    assert.equal(first[0], 'src/runtime/scheduler/mod.rs:1');
    assert.ok(first.indexOf('src/runtime/scheduler.rs:1') < 3);
    assert.equal((await find(files, 'what has the mod.rs of the runtime?'))[0], 'src/runtime/scheduler/mod.rs:1');
    assert.equal((await find(files, 'view.rs mod'))[0], 'src/view.rs:1');
  });

  it('takes `res.send` for code, though a test has this name', async () => {
    const files = {
      'lib/response.js': '/** Sends. */\nres.send = function send(body) {\n  return body;\n};\n',
      'test/res.send.js': "describe('res.send', () => {\n  it('sends', () => res.send('a'));\n});\n",
    };
    assert.equal((await find(files, 'res.send'))[0]?.split(':')[0], 'lib/response.js');
  });

  it('puts a page of the outermost folder first by its name alone', async () => {
    const files = {
      'README.md': '# Harbour\n',
      LICENSE: 'MIT\n',
      'docs/README.md': '# Docs\n\nreadme readme\n',
      'src/license.ts': 'export function license() {}\n// readme of the license\n'.repeat(5),
      'readme.ts': 'export const readme = "readme";\n'.repeat(5),
    };
    assert.equal((await find(files, 'readme'))[0], 'README.md:1');
    assert.equal((await find(files, 'license'))[0], 'LICENSE:1');
    assert.equal((await find(files, 'which license'))[0], 'LICENSE:1');
    const inOtherCase = { 'Readme.md': '# Harbour\n', 'docs/README.md': '# README.md\n'.repeat(9) };
    assert.deepEqual(await find(inOtherCase, 'README.md'), ['Readme.md:1', 'docs/README.md:1']);
    assert.equal((await find(files, 'license function'))[0]?.split(':')[0], 'src/license.ts');
  });

  it('puts the definition first that a typed declaration begins', async () => {
    const files = {
      'users.go': 'package a\n\ntype UsersStore struct {\n}\n\n// User is one.\ntype User struct {\n}\n',
      'new.go': 'package a\n\n// NewUser makes a user, a new user.\nfunc NewUser() *User { return nil }\n',
      'admin.go': 'package a\n\nfunc NewUserPost() { NewUser() }\n\n// func NewUser of type User struct\n'.repeat(6),
      'names.ts': '// class names, class names\nexport const names = ["class"];\n'.repeat(4),
      'lower.ts': 'export class names {}\n',
    };
    const first = async (query: string): Promise<string | undefined> => (await find(files, query))[0];
    assert.equal(await first('func NewUser'), 'new.go:3');
    assert.equal(await first('func NewUser('), 'new.go:3');
    assert.equal(await first('type User struct'), 'users.go:6');
    assert.equal(await first('struct UsersStore {'), 'users.go:3');
    assert.equal((await first('class names'))?.split(':')[0], 'names.ts');
    assert.equal((await first('class names {'))?.split(':')[0], 'lower.ts');
    const cli = {
      'cli.rb': 'def app\n  run\nend\n',
      'mount.rb': '# Mounts a sub app, any sub app.\ndef mount\nend\n',
      'test/flask_test.rb': 'class Flask\nend\n',
      'flask.rb': '# Flask\nclass Flask\nend\n',
      'web.rb': '# The class is Flask, a Flask.\ndef web\nend\n'.repeat(9),
    };
    assert.equal((await find(cli, 'sub app'))[0]?.split(':')[0], 'mount.rb');
    assert.deepEqual(
      (await find(cli, 'class Flask')).slice(0, 2).map((one) => one.split(':')[0]),
      ['flask.rb', 'web.rb'],
    );
  });

  it('takes pasted text with many blanks and names of files', async () => {
    const names = Array.from({ length: 2_000 }, (_, i) => `a${i}.ts`).join('\n');
    for (const text of [`a ${'.'.repeat(1e6)}x`, `func A${' '.repeat(3e5)}x`, `const ${'A '.repeat(1e5)}`, names])
      assert.deepEqual(await find({ 'harbour.md': 'light\n' }, text), []);
  });
});
