import assert from 'node:assert/strict';
import { searchFiles } from '../../../../test/support/searchFiles.ts';
import { temporaryFolder } from '../../../../test/support/temporary.ts';

describe('a question how to do something', () => {
  const folder = temporaryFolder();

  async function find(files: Readonly<Record<string, string>>, query: string): Promise<string[]> {
    const hits = await searchFiles(folder(), files, query);
    return hits.map(({ path, startLine }) => `${path}:${startLine}`);
  }

  const files = {
    'src/lighting.ts': '// how to light the lantern, how do I run lights\nfunction runLanterns() {}\n'.repeat(9),
    'test/lantern.test.ts': 'function lightLantern() {}\n// light the lantern\n'.repeat(9),
    'CHANGELOG.md': '# Lanterns\n\n## Light the lantern\n',
    'fog/README.md': '# Fog\n\n## Lighting fog lanterns\n\nLight them.\n',
    'README.md':
      '# Harbour\n\nOf boats.\n\n## Lighting lanterns\n\nTake a match.\n\n## Boats and quays and all lanterns of the harbour\n',
    'CONTRIBUTING.md': '# Contributing\n\n## Unit lanterns\n\nSee above.\n',
  };

  it('is answered by the sections whose headings say the least else, in outer folders', async () => {
    for (const query of ['how do I light the lanterns', 'how to light a lantern?', 'How can we light lanterns'])
      assert.deepEqual((await find(files, query)).slice(0, 2), ['README.md:5', 'fog/README.md:3'], query);
  });

  it('needs no common verb in the heading', async () => {
    assert.equal((await find(files, 'how do I run the unit lanterns'))[0], 'CONTRIBUTING.md:3');
  });

  it('is nothing special for other questions, and where no heading has the words', async () => {
    for (const query of ['how is the lantern lit', 'light the lantern', 'how do I light the lighthouse'])
      assert.match((await find(files, query))[0]!, /^(?:src|test)/, query);
  });
});
