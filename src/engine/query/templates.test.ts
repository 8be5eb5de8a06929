import assert from 'node:assert/strict';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { documentId } from '../documentId.ts';
import { Engine, type EngineDocument } from '../engine.ts';
import { sidesOf } from './paths.ts';

describe('ranking of templates and data', () => {
  const newFolder = temporaryFolder();

  it('takes no template in the folder `templates` for an example', () => {
    for (const path of ['roles/cron/templates/crontab.j2', 'shop/templates/order.html', 'chart/templates/_helpers.tpl'])
      assert.deepEqual(sidesOf(path), [], path);
    assert.deepEqual(sidesOf('docs/templates/page.html').at(0)?.[0], 'example');
    assert.deepEqual(sidesOf('cli/templates/react/app.tsx').at(0)?.[0], 'example');
  });

  it('ranks comments of data and its templates as their text', async () => {
    const engine = Engine.open(newFolder());
    const text = '# Interval between retries\nkey = 1\nother = 2\n';
    const paths = ['a.py', 'b.yaml', 'c.toml', 'd.ini.j2'];
    await engine.apply({ add: paths.map((path) => documentOf(path, text)) });
    const hits = await engine.search('interval between retries', { explain: true });
    await engine.close();
    const commented = hits.filter(({ explanation }) =>
      explanation?.some(({ feature, value }) => feature === 'comment' && value > 0),
    );
    assert.equal(hits.length, paths.length);
    assert.deepEqual(
      commented.map(({ path }) => path),
      ['a.py'],
    );
  });
});

function documentOf(path: string, text: string): EngineDocument {
  const content = Buffer.from(text);
  return { id: documentId(path, content), path, content };
}
