import assert from 'node:assert/strict';
import { sidesOf } from './paths.ts';

describe('ranking of templates and data', () => {
  it('takes no template in the folder `templates` for an example', () => {
    for (const path of ['roles/cron/templates/crontab.j2', 'shop/templates/order.html', 'chart/templates/_helpers.tpl'])
      assert.deepEqual(sidesOf(path), [], path);
    assert.deepEqual(sidesOf('docs/templates/page.html').at(0)?.[0], 'example');
    assert.deepEqual(sidesOf('cli/templates/react/app.tsx').at(0)?.[0], 'example');
  });
});
