import assert from 'node:assert/strict';
import { Analyzer } from './analyzer.ts';
import { foldQualified, isHome, nameSegments, symbolNames } from './symbolNames.ts';

function names(path: string, text: string): string[] {
  const { definitions } = new Analyzer().analyze(path, Buffer.from(text));
  return definitions.map((definition) => {
    const { own, qualified = '-', acronym = '-' } = symbolNames(definition) ?? { own: '-' };
    return `${own} ${qualified} ${acronym} ${isHome(definition) ? 'home' : 'elsewhere'}`;
  });
}

describe('symbolNames', () => {
  it('gives a name, the name with its container, and its initials', () => {
    assert.deepEqual(names('a.ts', 'class Html {\n  indexHtmlMiddleware() {\n  }\n}\n'), [
      'Html - - home',
      'indexHtmlMiddleware Html.indexHtmlMiddleware ihm home',
    ]);
    assert.deepEqual(names('a.ex', 'defmodule Big.Acme.Repo do\n  def get_by_id(x) do\n  end\nend\n'), [
      'Repo Acme.Repo - home',
      'get_by_id Repo.get_by_id gbi home',
    ]);
  });

  it('leaves out headings, titles and the initials of macros', () => {
    assert.deepEqual(names('a.md', '# A long title\n'), ['- - - home']);
    assert.deepEqual(names('a.bats', '@test "prints a page" {\n}\n'), ['- - - home']);
    assert.deepEqual(names('a.h', '#define PAGE_SIZE_MASK 1\n'), ['PAGE_SIZE_MASK - - home']);
  });

  it('distinguishes the type from its constructors, destructors and extensions', () => {
    assert.deepEqual(names('a.cc', 'class Pool {\n  Pool() {\n  }\n  ~Pool() {\n  }\n};\n'), [
      'Pool - - home',
      'Pool Pool.Pool - elsewhere',
      '~Pool Pool.~Pool - elsewhere',
    ]);
    assert.deepEqual(names('a.rs', 'struct Pool {\n}\n\nimpl Pool {\n    fn new() {}\n}\n'), [
      'Pool - - home',
      'Pool - - elsewhere',
      'new Pool.new - home',
    ]);
  });

  it('splits names at the separators of any language', () => {
    for (const name of ['a.B.c', 'a::B::c', 'B#c', 'B->c', 'a/B/c', String.raw`a\B\c`]) {
      assert.equal(foldQualified(name), 'b.c', name);
    }
    assert.deepEqual(nameSegments('#drain'), ['drain']);
    assert.deepEqual(nameSegments('plain_name'), ['plain_name']);
  });
});
