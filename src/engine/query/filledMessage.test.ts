import assert from 'node:assert/strict';
import { searchFiles } from '../../../test/support/searchFiles.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';

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
    'a.rs': 'bail!("lantern {name} is already lit at {} of {pier:?}", quay)',
  };

  it('finds the string that gives the message, in each notation of values', async () => {
    for (const [path, text] of Object.entries(messages)) {
      const files = { 'lantern/lit/harbour.ts': hub.repeat(9), [path]: `${filler}\n${text}\n` };
      const query = "lantern 'north/7' is already lit at 12 of pier";
      assert.match((await first(files, query))!, new RegExp(`^${path}:[1-9]`), path);
    }
  });

  it('needs most words in their order', async () => {
    const files = { 'lantern/lit/harbour.ts': hub.repeat(9), 'a.c': `${filler}\n${messages['a.c']}\n` };
    const others = ["lit 'north/7' already is lantern of pier at 12", "lantern 'north/7' is lit at 12 of pier"];
    for (const query of others) assert.notEqual(await first(files, query), 'a.c', query);
  });
});
