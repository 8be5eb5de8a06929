import assert from 'node:assert/strict';
import { join } from 'node:path';
import fc from 'fast-check';
import { runs } from '../../../test/support/runs.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { documentId } from '../documentId.ts';
import { SegmentBuilder } from '../index/segmentBuilder.ts';
import { SegmentReader } from '../index/segmentReader.ts';
import { SegmentWriter } from '../index/segmentWriter.ts';
import { expandSymbol, type SymbolTerm } from './symbols.ts';

describe('symbols', () => {
  const opened: SegmentReader[] = [];
  // Before the folders are removed, which Windows refuses for open files.
  after(() => {
    for (const reader of opened) reader.close();
  });
  const folder = temporaryFolder();

  function segment(files: Readonly<Record<string, string>>): SegmentReader {
    const builder = new SegmentBuilder();
    for (const [path, content] of Object.entries(files)) {
      const text = Buffer.from(content);
      builder.add({ id: Buffer.from(documentId(path, text), 'hex'), path, text });
    }
    const file = join(folder(), 'segment-1.sxs');
    const writer = new SegmentWriter(file);
    builder.write(writer);
    writer.finish();
    const reader = new SegmentReader(file);
    opened.push(reader);
    return reader;
  }

  const functions = (names: readonly string[]): string => names.map((name) => `function ${name}() {}\n\n`).join('');
  const texts = (terms: readonly SymbolTerm[]): string[] => terms.map(({ how, text }) => `${how} ${text}`);

  describe('expandSymbol', () => {
    let readers: SegmentReader[];
    before(() => {
      readers = [
        segment({
          'server.ts': `export class Server {\n  handle() {\n  }\n\n  handleAll() {\n  }\n}\n`,
          'html.ts': functions(['indexHtmlMiddleware', 'indexHtml', 'indexHtmlPlugin', 'indexation', 'Index']),
        }),
        segment({
          'repo.ex': 'defmodule Acme.Repo do\n  def insert(x) do\n    x\n  end\nend\n',
          'index.c': 'int index_html(void)\n{\n}\n',
        }),
      ];
    });

    it('finds a typed name in any spelling', () => {
      assert.deepEqual(expandSymbol('indexHtml', readers, 0), [
        { field: 4, text: 'indexhtml', how: 'exact', name: 'indexHtml', similarity: 1 },
      ]);
      const [variant] = expandSymbol('INDEX_HTML', readers, 0);
      assert.deepEqual([variant?.how, variant?.text, variant?.name], ['case', 'indexhtml', 'indexHtml']);
    });

    it('extends a prefix to the shortest and most similar names', () => {
      assert.deepEqual(texts(expandSymbol('index', readers)), [
        'case index',
        'prefix indexhtml',
        'prefix indexhtmlplugin',
        'prefix indexation',
        'prefix indexhtmlmiddleware',
      ]);
      assert.deepEqual(texts(expandSymbol('indexHtmlM', readers)), ['prefix indexhtmlmiddleware']);
    });

    it('finds a name by its initials', () => {
      assert.deepEqual(texts(expandSymbol('ihm', readers)), ['acronym ihm']);
      assert.deepEqual(texts(expandSymbol('IHM', readers)), ['acronym ihm']);
      assert.deepEqual(expandSymbol('xyz', readers), []);
    });

    it('parses qualified names in the notation of all languages', () => {
      for (const typed of [
        'Server.handle',
        'Server::handle',
        'Server#handle',
        'server->handle',
        'App::Server<T>.handle(x)',
      ]) {
        assert.deepEqual(texts(expandSymbol(typed, readers)), [
          'qualified server.handle',
          'member handle',
          'prefix server.handleall',
        ]);
      }
      assert.deepEqual(texts(expandSymbol('Server.', readers)), ['prefix server.handle', 'prefix server.handleall']);
      assert.deepEqual(texts(expandSymbol('Other.handle', readers)), ['member handle']);
      assert.deepEqual(texts(expandSymbol('Repo.insert/1', readers)), ['qualified repo.insert', 'member insert']);
      assert.deepEqual(texts(expandSymbol('Acme.Repo', readers)), ['qualified acme.repo', 'member repo']);
    });

    it('finds nothing for text that is not a name', () => {
      for (const typed of ['', '::', '<=>', '()', '/2']) assert.deepEqual(expandSymbol(typed, readers), []);
    });
  });

  const name = fc
    .array(fc.constantFrom('get', 'Set', '_', 'HTML', 'x', 'Über', '2'), { minLength: 1, maxLength: 4 })
    .map((parts) => `f${parts.join('')}`);
  const fold = (text: string): string => text.replaceAll('_', '').replaceAll('Ü', 'u').toLowerCase();

  it('expandSymbol finds exactly the names that begin with the typed text, in any number of segments', () => {
    fc.assert(
      fc.property(fc.array(fc.array(name, { maxLength: 12 }), { minLength: 1, maxLength: 3 }), name, (parts, typed) => {
        const readers = parts.map((names) => segment({ 'a.js': functions([...new Set(names)]) }));
        const all = new Set(parts.flat().map(fold));
        const terms = expandSymbol(typed, readers, 1000);
        const prefixes = terms.filter(({ how }) => how === 'prefix').map(({ text }) => text);
        const expected = [...all].filter((other) => other !== fold(typed) && other.startsWith(fold(typed)));
        assert.deepEqual(prefixes.sort(), expected.sort());
        const [first] = terms.filter(({ how }) => how === 'exact' || how === 'case');
        assert.equal(first?.how, parts.flat().includes(typed) ? 'exact' : all.has(fold(typed)) ? 'case' : undefined);
      }),
      { numRuns: runs(60) },
    );
  });
});
