import assert from 'node:assert/strict';
import { asksFor, formOf } from './fileForms.ts';

describe('formOf', () => {
  const FORMS: Readonly<Record<string, readonly string[]>> = {
    code: [
      'src/a.ts',
      'lib/history.py',
      'tools.go',
      'src/tools/x.ts',
      'migrations/0001.sql',
      'src/news/feed.rb',
      'src/Order.pas',
      'rtl/fifo.vhd',
      'a.nix',
      'app/views/_form.html.erb',
      'src/login.component.html',
      'chart/templates/_helpers.tpl',
    ],
    prose: [
      'README.md',
      'docs/guide.rst',
      'README',
      'man/tool.1',
      'site/index.html',
      'docs/stock.ipynb',
      'Stock.IPYNB',
    ],
    data: ['conf/a.yaml', 'x.json', 'theme.css', 'words.dat'],
    built: ['dist/a.js', 'web/app.min.js', 'yarn.lock', 'go.sum', 'package-lock.json', 'a/__snapshots__/b.snap'],
    history: ['CHANGELOG.md', 'LICENSE', 'docs/releases/1.2.rst', 'UPGRADING.md', 'AUTHORS'],
    tooling: [
      '.github/workflows/ci.yml',
      'scripts/release.sh',
      'Makefile',
      'setup.py',
      'vite.config.ts',
      'a/CMakeLists.txt',
    ],
  };
  for (const [form, paths] of Object.entries(FORMS)) {
    it(`finds ${form}`, () => {
      for (const path of paths) {
        assert.equal(formOf(path) ?? 'code', form, path);
      }
    });
  }

  it('lifts the penalty of a form that the query asks for', () => {
    assert.ok(asksFor('prose', 'README.md', new Set(['document'])));
    assert.ok(asksFor('data', 'a/tsconfig.json', new Set(['json'])));
    assert.ok(!asksFor('data', 'a/tsconfig.json', new Set(['yaml'])));
  });
});
