import assert from 'node:assert/strict';
import { searchFiles } from '../../../../test/support/searchFiles.ts';
import { temporaryFolder } from '../../../../test/support/temporary.ts';

describe('a search for a message with values', () => {
  const folder = temporaryFolder();

  async function first(files: Readonly<Record<string, string>>, query: string): Promise<string | undefined> {
    const [hit] = await searchFiles(folder(), files, query);
    return `${hit?.path}:${hit?.startLine}`;
  }

  const hub =
    '// a lantern of the harbour is lit at quay north/7 of pier east\nfunction lightLantern(harbour, quay) {}\n\n';
  const filler = Array.from({ length: 30 }, (_, i) => `const other${i} = ${i};`).join('\n');
  const messages = {
    'a.c': 'fail("lantern %s is already lit at %-5d of %s", name, quay, pier);',
    'a.cs': 'throw new Lit($"lantern {name} is already lit at {(quay is Quay q ? q.Id + ":" + name : "")} of {pier}");',
    'a.kt': 'error("lantern $name is already lit at ${quay.id} of $pier")',
    'a.rb': 'raise "lantern #{name} is already lit at #{quay} of #{pier}"',
    'a.py': "warn('lantern (%ss) is already lit at %s of %s', name, quay, pier)",
    'a.php': "return ['lit' => 'lantern :name is already lit at :quay of :pier'];",
    'a.rs': 'bail!("lantern {name} is already lit at {} of {pier:?}", quay)',
  };

  it('finds the string that gives the message, in each notation of values', async () => {
    for (const [path, text] of Object.entries(messages)) {
      const files = { 'lantern/lit/harbour.ts': hub.repeat(9), [path]: `${filler}\n${text}\n` };
      const query = "lantern 'north/7' is already lit at 12 of pier";
      assert.match((await first(files, query))!, new RegExp(`^${path}:[1-9]`), path);
    }
  });

  it('finds a string with few of the words, if its values have the others', async () => {
    const text = 'fail("the harbour has no lantern at %s", quay);';
    const files = { 'lantern/lit/harbour.ts': hub.repeat(9), 'a.c': `${filler}\n${text}\n` };
    const query =
      "the harbour has no lantern at 'north/7' (pier east, lit by Ada, quay 12 of 40, fog in the bay, wind 9)";
    assert.match((await first(files, query))!, /^a.c:/);
    const short = { ...files, 'a.c': `${filler}\nfail("no lantern lit at %s", quay);\n` };
    assert.match((await first(short, 'no lantern lit at [Quay].[Pier].[Fog]/north.[Sea]'))!, /^a.c:/);
  });

  it('finds a string without values behind what a log puts before it', async () => {
    const files = {
      'lantern/lit/harbour.ts': hub.repeat(9),
      'a.c': `${filler}\nfail("no lantern of the pier is lit");\n`,
    };
    const query = '[quay.c:12] harbour error, east: no lantern of the pier is lit';
    assert.match((await first(files, query))!, /^a.c:/);
  });

  it('precedes the tests that repeat the message', async () => {
    const query = "no lantern is lit at 'north', 'south' or 'East' of pier '/north/7'";
    const test = `test('lantern lit', () => expect(quay()).throws("no lantern is lit at 'north', 'south' or 'East' of pier '/'"));`;
    const files = {
      'lantern/lit/harbour.ts': hub.repeat(9),
      'a.go': `${filler}\nfmt.Errorf("no lantern is lit at %v of pier '%s'", names, pier)\n`,
      'test/lantern.test.ts': test,
    };
    assert.match((await first(files, query))!, /^a.go:/);
    const pattern = `test('lantern lit', () => expect(quay()).throws("no lantern is lit at %v of pier .+"));`;
    assert.match((await first({ ...files, 'test/lantern.test.ts': pattern }, query))!, /^a.go:/);
  });

  it('needs most words in their order', async () => {
    const files = { 'lantern/lit/harbour.ts': hub.repeat(9), 'a.c': `${filler}\n${messages['a.c']}\n` };
    const others = ["lit 'north/7' already is lantern of pier at 12", "lantern 'north/7' is lit at 12 of pier"];
    for (const query of others) assert.notEqual(await first(files, query), 'a.c', query);
  });
});
