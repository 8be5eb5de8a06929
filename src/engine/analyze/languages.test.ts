import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Analyzer } from './analyzer.ts';
import { ALL_LANGUAGES, LANGUAGES, languageOf } from './languages.ts';
import { PAGES } from './languages/markup.ts';

/** Words of the patterns that come before a name, but never first on a line. */
const NEVER_FIRST: Readonly<Record<string, string>> = {
  c: 'alignas __',
  cmake: 'add_ library executable custom_target',
  cpp: 'alignas __',
  'objective-c': 'alignas __',
  rust: 'for mut dyn',
  java: 'const',
  csharp: 'const',
  ruby: 'self',
  haskell: 'family',
  ocaml: 'rec inline virtual private mutable nonrec',
  perl: 'constant',
  powershell: 'global script local private static hidden',
  groovy: 'const register create named',
  julia: 'type bare',
  lisp: 'record type',
  css: 'mixin function keyframes',
  ada: 'body sub',
  apex: 'const with without inherited sharing on',
  lean: 'scoped local',
  awk: 'tion',
  dockerfile: 'AS',
  rescript: 'rec',
  vala: 'const errordomain',
  crystal: 'self',
  fortran: 'data parameter',
  fsharp: 'mutable public',
  matlab: 'et',
  tcl: 'eval create',
  vhdl: 'body',
  vim: 'SID mand',
  ...Object.fromEntries(
    PAGES.map(({ id }) => [id, 'macro define def inline content_for name static override virtual Name Key']),
  ),
  sql: 'or replace alter definer function procedure proc aggregate temp unique materialized if not exists',
};

/** The words that a pattern requires before its first group with a name in it. */
function wordsBefore({ source }: RegExp): string[] {
  let text = source.replace(/\\[()[\]]/g, ' ').replace(/\[(?:[^\]\\]|\\.)*\]/g, ' ');
  for (const ahead of [/\(\?!(?:[^()]|\([^()]*\))*\)/g, /\\\w/g]) text = text.replace(ahead, ' ');
  const name = text.search(/\((?!\?:)/);
  return text.slice(0, name < 0 ? undefined : name).match(/[A-Za-z_]{2,}/g) ?? [];
}

describe('LANGUAGES', () => {
  for (const { id, shapes, leaders, patterns } of LANGUAGES) {
    it(`tries the lines of ${id} that its patterns are for`, () => {
      const known = new Set([...leaders, ...(NEVER_FIRST[id] ?? '').split(' ')]);
      for (const [pattern] of patterns) {
        // Lines at the left edge are tried whatever their first word is.
        if (shapes.includes('column0') && !pattern.source.startsWith(String.raw`^\s`)) continue;
        if (shapes.includes('any')) continue;
        for (const word of wordsBefore(pattern)) assert.ok(known.has(word), `${word} of ${pattern.source}`);
      }
    });
  }

  it('are known by the first word of a file that is named for a tool, which no lock file is', () => {
    const ids = {
      Dockerfile: 'dockerfile',
      'dockerfile-alpine': 'dockerfile',
      'Makefile.am': 'makefile',
      'Makefile.common': 'makefile',
      'Jenkinsfile.release': 'groovy',
      'Vagrantfile.local': 'ruby',
      'Gemfile.lock': 'plaintext',
      'profile.bak': 'plaintext',
    };
    for (const [name, id] of Object.entries(ids)) assert.equal(languageOf(`a/${name}`).id, id, name);
  });

  it('are not known by a name alone that is an extension of other files', () => {
    assert.equal(languageOf('bin/service', '#!/bin/sh\n').id, 'shellscript');
    assert.equal(languageOf('doc/timer').id, 'plaintext');
  });

  for (const { id, extensions, fileNames = [], leaders } of LANGUAGES) {
    // A pattern with a repetition in a repetition takes hours for such a line.
    it(`reads lines that repeat a word of ${id}`, () => {
      const text = [...leaders, 'name'].map((leader) => `${`${leader} `.repeat(42)}\n`).join('');
      const { language, chunks } = new Analyzer().analyze(fileNames[0] ?? `a.${extensions[0]}`, Buffer.from(text));
      assert.equal(language, id);
      assert.ok(chunks.length > 0);
    });
  }

  it('are counted in the architecture, those of documents and data aside', () => {
    const text = readFileSync(join(import.meta.dirname, '../../../docs/architecture.md'), 'utf8');
    assert.ok(
      text.includes(`${LANGUAGES.filter(({ headings, sections }) => !headings && !sections).length} languages`),
    );
  });

  it('are all named in the documentation', () => {
    const text = readFileSync(join(import.meta.dirname, '../../../docs/query-language.md'), 'utf8');
    for (const { id } of ALL_LANGUAGES) assert.ok(text.includes(`\`${id}\``), id);
  });
});
