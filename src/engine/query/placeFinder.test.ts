import assert from 'node:assert/strict';
import fc from 'fast-check';
import { runs } from '../../../test/support/runs.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { documentId } from '../documentId.ts';
import { Engine } from '../engine.ts';
import type { Hit } from './hits.ts';

describe('the place that a search shows', () => {
  const folder = temporaryFolder();

  /** Runs the queries in turn on an index of one file. */
  async function ask(path: string, text: string, queries: readonly string[]): Promise<(Hit | undefined)[]> {
    const engine = Engine.open(folder());
    const content = Buffer.from(text);
    await engine.apply({ add: [{ id: documentId(path, content), path, content }] });
    const hits: (Hit | undefined)[] = [];
    for (const query of queries) hits.push((await engine.search(query))[0]);
    await engine.close();
    return hits;
  }

  it('is the use of a name, not its import', async () => {
    const imports = "import { openHarbour } from './openHarbour.ts';\nimport a from 'a';\nimport b from 'b';\n";
    const use = `const lamp = a(b);\nconst berth = lamp.find((one) => one.isFree && one.depth > 3);\nopenHarbour(berth);\n`;
    const text = `${imports}\n${'pass();\n'.repeat(40)}\n${use}`;
    const [name, words] = await ask('start.ts', text, ['openHarbour', 'open harbour']);
    for (const hit of [name, words]) assert.ok(hit && hit.startLine > 4, JSON.stringify(hit));
  });

  it('is the use of a name that nothing defines, before definitions with its words', async () => {
    const table = Array.from({ length: 90 }, (_, i) => `    { text("lamp_${i}"), set_number, ${i} },\n`);
    table[70] = '    { text("harbour_open_time"), set_time, 70 },\n';
    const near = `static int harbour_open_hours[] = { 1 };\nstatic int harbour_time(int open)\n{\n${'    step();\n'.repeat(30)}}\n\n`;
    const text = `${near}static command_t commands[] = {\n${table.join('')}};\n\n${near.replaceAll('static int harbour', 'static int open')}`;
    const line = text.split('\n').findIndex((one) => one.includes('harbour_open_time')) + 1;
    for (const hit of await ask('a.c', text, ['harbour_open_time', 'harbourOpenTime']))
      assert.ok(hit && hit.startLine <= line && line <= hit.endLine, `${hit?.startLine}-${hit?.endLine}, not ${line}`);
  });

  it('is a definition with its comment, where the words are in the comment', async () => {
    const comment = (lines: number): string =>
      Array.from({ length: lines }, (_, i) => `# ${i === 3 ? 'Moors the ship' : 'More.'}\n`).join('');
    const method = `def tie(rope)\n${'  step\n'.repeat(8)}end\n`;
    const shown = async (path: string, text: string): Promise<unknown> => {
      const [hit] = await ask(path, text, ['moor ship']);
      return hit && [hit.startLine, hit.endLine, hit.symbol?.name];
    };
    const other = 'def other\n  step\nend\n\n';
    assert.deepEqual(await shown('a.rb', other + comment(6) + method), [5, 20, 'tie']);
    assert.deepEqual(await shown('a.rb', other + comment(100) + method), [5, 105, 'tie']);
    const gnu = `static int a;\n\n/* Moors the ship. */\nstatic int\ntie (int rope)\n{\n${'  step ();\n'.repeat(8)}}\n`;
    assert.deepEqual(await shown('a.c', gnu), [3, 15, 'tie']);
  });

  it('is the whole definition of the name in the query, however long, once', async () => {
    const method = (name: string): string => `  ${name}() {\n${'    step();\n'.repeat(50)}  }\n`;
    const text = `step();\n\n/** Lights. */\nclass Lantern {\n${['one', 'two', 'three'].map(method).join('')}}\n`;
    const hits = await ask('a.ts', text, ['Lantern', 'sym:Lantern']);
    for (const hit of hits) assert.deepEqual([hit?.startLine, hit?.endLine, hit?.symbol?.name], [3, 161, 'Lantern']);
    assert.deepEqual(hits[0]?.more, []);
  });

  it('is the definition whose name is spelt as in the query, underscores included', async () => {
    const java =
      'class A {\n  boolean hasName() {\n    return true;\n  }\n  boolean _hasName() {\n    return false;\n  }\n}\n';
    const hits = await ask('A.java', java, ['hasName', '_hasName']);
    assert.deepEqual(
      hits.map((hit) => hit?.symbol?.name),
      ['hasName', '_hasName'],
    );
  });

  it('is no line that only repeats the name of its file, where another has the words', async () => {
    const filler = (name: string): string => `\nint ${name}(int a)\n{\n${'\tstep();\n'.repeat(20)}}\n`;
    const guard = '#ifndef LANTERN_LIGHT_H\n#define LANTERN_LIGHT_H\n#define LANTERN_LIGHT 1\n';
    const light = `\n/* Lights the lantern. */\nint start(int a)\n{\n${'\tstep();\n'.repeat(20)}}\n`;
    const header = `${guard}${filler('one')}${light}${filler('two')}#endif\n`;
    const [hit, name] = await ask('lib/lantern_light.h', header, ['light a lantern', 'LANTERN_LIGHT']);
    assert.deepEqual([hit?.symbol?.name, name?.symbol?.name], ['start', 'LANTERN_LIGHT']);
    const facade = `exports.lantern = makeLantern;\n${light}`;
    const [shown] = await ask('src/lantern.js', facade.replaceAll('int ', 'function '), ['lights lantern']);
    assert.equal(shown?.symbol?.name, 'start');
    const [only] = await ask('lantern_light.h', guard, ['light a lantern']);
    assert.equal(only?.path, 'lantern_light.h');
  });

  it('is the member of the class in the query, not the first member of that name', async () => {
    const filler = Array.from({ length: 60 }, (_, i) => `    value_${i} = ${i}\n`).join('');
    const member = (container: string, between = ''): string =>
      `class ${container}:\n${between}    def invoke(self):\n        return 1\n\n`;
    const near = member('Context') + member('Command') + member('Group');
    const far = member('Context', filler) + member('Command', filler) + member('Group', filler);
    for (const text of [near, far]) {
      const queries = ['Context.invoke', 'Command::invoke', 'Group.invoke', 'group->invoke', 'Other.invoke'];
      const lines = text.split('\n');
      const shown = (await ask('core.py', text, queries)).map((hit) => {
        const { line = 0, container = '' } = hit?.symbol ?? {};
        return `${container} ${lines[line - 1]?.trim()}`;
      });
      const right = ['Context', 'Command', 'Group', 'Group', 'Context'].map((one) => `${one} def invoke(self):`);
      assert.deepEqual(shown, right);
    }
  });

  it('is the exact name for sym:, before names that begin with or contain the pattern', async () => {
    const names = ['connection', 'onClose', 'on', 'onError', 'upon'];
    const text = names.map((name) => `function ${name}() {\n${'  step();\n'.repeat(20)}}\n`).join('\n');
    const shown = async (...queries: string[]): Promise<unknown[]> =>
      (await ask('a.js', text, queries)).map((hit) => hit && [hit, ...hit.more].map(({ symbol }) => symbol?.name));
    const [plain, stars] = await shown('sym:on', 'sym:*on*');
    assert.deepEqual(plain, ['on', 'onClose', 'onError', 'connection']);
    assert.deepEqual(stars, plain);

    const member = (name: string): string => `  ${name}() {\n${'    step();\n'.repeat(12)}  }\n`;
    const classes = ['Other', 'Context'].map((name) => `class ${name} {\n${member('JSONP')}${member('JSON')}}\n`);
    const queries = ['sym:Context.JSON', 'sym:JSON'];
    const lines = (await ask('b.js', classes.join(''), queries)).map((hit) => hit?.symbol?.line);
    assert.deepEqual(lines, [46, 16]);
  });

  it('can be any member of any class, even if many in a file have the same name', async () => {
    const method = fc.record({ name: fc.constantFrom('run', 'open', 'to_text', 'close'), length: fc.nat({ max: 30 }) });
    const methods = fc.uniqueArray(method, { minLength: 1, maxLength: 4, selector: ({ name }) => name });
    const names = fc.uniqueArray(fc.constantFrom('Lamp', 'Quay', 'Harbour', 'LampPost', 'Open', 'Tide'), {
      minLength: 1,
      maxLength: 6,
    });
    const classes = names.chain((all) =>
      fc.tuple(...all.map((name) => fc.record({ name: fc.constant(name), methods }))),
    );
    await fc.assert(
      fc.asyncProperty(classes, async (list) => {
        const lines: string[] = [];
        const defined = new Map<string, number>();
        for (const { name, methods: members } of list) {
          lines.push(`class ${name}:`);
          for (const member of members) {
            defined.set(`${name}.${member.name}`, lines.push(`    def ${member.name}(self):`));
            for (let i = 0; i <= member.length; i++) lines.push(`        self.step(${i})`);
          }
          lines.push('');
        }
        const hits = await ask('all.py', lines.join('\n'), [...defined.keys()]);
        for (const [i, [name, line]] of [...defined].entries()) {
          const { startLine = 0, endLine = 0, symbol } = hits[i] ?? {};
          assert.ok(startLine <= line && line <= endLine, `${name} is on line ${line}, not ${startLine}-${endLine}`);
          assert.equal(symbol?.line, line, name);
        }
      }),
      { numRuns: runs(40) },
    );
  });
});
