import assert from 'node:assert/strict';
import { join } from 'node:path';
import { table } from '../../scripts/lib/table.mjs';
import { Corpus, readCorpus } from '../bench/typed/corpus.ts';
import { docSentence } from '../bench/typed/docComment.ts';
import { errorMessage, filled, kindOfNumber, literalLine, number, regexLike } from '../bench/typed/lines.ts';
import { isRight, measure, type Measured } from '../bench/typed/measure.ts';
import { configured, halfName, option, partsOf, pathFragment } from '../bench/typed/names.ts';
import { Choices } from '../bench/typed/random.ts';
import { failureList, fileAlone, summaryRows } from '../bench/typed/report.ts';
import type { Rule, TypedQuery } from '../bench/typed/rule.ts';
import { makeQueries, RULES, type ClassifiedQuery } from '../bench/typed/rules.ts';
import { formatFrame, stackLine } from '../bench/typed/stack.ts';
import { distance, misspelt } from '../bench/typed/typo.ts';
import { fewWords, typos } from '../bench/typed/words.ts';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';

const PACKAGES = ['undici', 'mocha', 'eslint'];

/** Files of several languages, each of which has something for a rule. */
const FILES = {
  'src/http/retryPolicy.ts': [
    '/**',
    ' * Doubles the pause between attempts, up to a ceiling. Tested by hand.',
    ' * @param attempt from 1',
    ' */',
    'export function pauseBeforeAttempt(attempt: number): number {',
    '  if (attempt < 1) throw new Error(`attempt ${attempt} is below the first`);',
    '  return Math.min(30_000, attempt * 0x1f4);',
    '}',
    '',
  ],
  'src/cli.py': [
    'def build_argument_parser(config):',
    '    """Builds the parser of command line arguments."""',
    "    parser.add_argument('--dry-run', help='print only')",
    "    return config.get('cache.max-size')",
    '',
  ],
  'lib/store.rb': [
    'class Store',
    '  def flush_pending',
    '    raise "nothing is pending" unless pending?',
    '  end',
    'end',
    '',
  ],
  'src/main.go': ['package main', '', 'func serveForever(port int) error {', '\treturn listen(port, "0.9.3")', '}', ''],
};

function small(): Corpus {
  return new Corpus('small', new Map(Object.entries(FILES).map(([path, lines]) => [path, lines.join('\n')])));
}

/** What a rule makes of a file of {@link FILES}. */
function propose(rule: Rule, path: keyof typeof FILES, turn = 0): TypedQuery | undefined {
  const corpus = small();
  const file = corpus.sources.find((one) => one.path === path)!;
  return rule.propose(file, corpus, new Choices('test'), turn);
}

describe('rules for typed queries', () => {
  it('reads the first sentence of a comment above a definition, and of a docstring beneath', () => {
    const sentences = small().sources.map((file) => docSentence(file, file.definitions[0]!));
    assert.deepEqual(sentences, [
      'Doubles the pause between attempts, up to a ceiling.',
      'Builds the parser of command line arguments.',
      undefined,
      undefined,
    ]);
  });

  it('reduces a sentence to its rarest words in their order', () => {
    const { text, paths } = propose(fewWords, 'src/http/retryPolicy.ts')!;
    const words = ['Doubles', 'pause', 'between', 'attempts', 'ceiling'];
    const places = text.split(' ').map((word) => words.indexOf(word));
    assert.ok(places.length >= 2 && places.length <= 4);
    assert.deepEqual(
      places.toSorted((a, b) => a - b),
      places,
    );
    assert.deepEqual(paths, ['src/http/retryPolicy.ts']);
  });

  it('takes an option as it is, then its words', () => {
    assert.deepEqual(propose(option, 'src/cli.py'), { text: '--dry-run', paths: ['src/cli.py'] });
    assert.deepEqual(propose(option, 'src/cli.py', 1), { text: 'dry run option', paths: ['src/cli.py'] });
  });

  it('looks for the place of a setting', () => {
    const query = { text: 'where is cache max size configured', paths: ['src/cli.py'] };
    assert.deepEqual(propose(configured, 'src/cli.py'), query);
    assert.deepEqual(partsOf('HTTPCacheMax-Size_bytes'), ['httpcache', 'max', 'size', 'bytes']);
  });

  it('fills the placeholders of a message', () => {
    assert.match(propose(errorMessage, 'src/http/retryPolicy.ts')!.text, /^attempt \w+ is below the first$/);
    assert.equal(propose(errorMessage, 'lib/store.rb')!.text, 'nothing is pending');
    assert.match(
      filled('%d of %s at {path}, ${name} and {{id}}: 5%%', new Choices('1')),
      /^\d+ of \w+ at \w+, \w+ and \w+: 5%$/,
    );
    assert.match(filled('cannot open "', new Choices('1')), /^cannot open "\w+"$/);
  });

  it('shortens a path and a name', () => {
    assert.equal(propose(pathFragment, 'src/http/retryPolicy.ts')!.text, 'http/retryPo');
    assert.equal(propose(pathFragment, 'src/http/retryPolicy.ts', 1)!.text, 'http retryPo');
    assert.equal(propose(halfName, 'src/http/retryPolicy.ts')!.text, 'pauseBefore');
    assert.equal(propose(halfName, 'src/http/retryPolicy.ts', 2)!.text, 'BeforeAttempt');
    assert.equal(propose(halfName, 'src/cli.py', 2)!.text, 'argument_parser');
  });

  it('leaves out what several files answer', () => {
    const lines = FILES['src/http/retryPolicy.ts'].join('\n');
    const corpus = new Corpus('two', new Map(['a/one.ts', 'b/two.ts'].map((path) => [path, lines])));
    const rules = [literalLine, regexLike, halfName, errorMessage];
    assert.deepEqual(makeQueries(corpus, 3, rules), []);
  });

  it('takes a line of code as it is, and two of its words as a pattern', () => {
    assert.equal(propose(literalLine, 'src/main.go')!.text, 'func serveForever(port int) error {');
    assert.equal(propose(literalLine, 'lib/store.rb'), undefined);
    assert.match(propose(regexLike, 'src/main.go')!.text, /^\w+\.\*\w+$/);
    assert.match(propose(regexLike, 'src/main.go', 1)!.text, /^\/\w+\.\*\w+\/$/);
  });

  it('takes a rare number, then beside a word', () => {
    assert.equal(propose(number, 'src/main.go')!.text, '0.9.3');
    assert.equal(propose(number, 'src/main.go', 1)!.text, 'port 0.9.3');
    const values = ['0x1F', 'E1001', 'v1.2.3', '1e-9', '429', '123e4567-e89b-12d3-a456-426614174000'];
    assert.deepEqual(values.map(kindOfNumber), ['hex', 'code', 'version', 'dotted', 'decimal', 'uuid']);
  });

  it('makes exactly as many errors as wanted, from the second letter on', () => {
    const choices = new Choices('typos');
    for (const edits of [1, 2] as const) {
      for (let i = 0; i < 200; i++) {
        const wrong = misspelt('configuration', edits, choices);
        assert.equal(distance('configuration', wrong), edits);
        assert.equal(wrong[0], 'c');
      }
    }
    for (let i = 0; i < 50; i++) assert.ok(misspelt('__init', 1, choices).startsWith('__i'));
    assert.equal(distance('abcd', 'acbd'), 1);
    assert.equal(distance('', 'ab'), 2);
  });

  it('misspells a word of a comment, then a defined name', () => {
    const [word, name] = [0, 1].map((turn) => propose(typos(1), 'src/http/retryPolicy.ts', turn)!.text);
    assert.equal(word!.split(' ').length, 2);
    assert.equal(distance('pauseBeforeAttempt', name!), 1);
  });

  it('prints frames as ten runtimes and debuggers do', () => {
    const frame = { repository: 'r', path: 'a/b.x', line: 7, function: 'run', type: 'Job', package: 'org.r' };
    const texts = ['JavaScript', 'Python', 'Go', 'Rust', 'Java', 'C', 'C#', 'Ruby', 'PHP', 'Perl'].map((language) =>
      formatFrame(language, frame, new Choices('1')).replaceAll(
        /(?<=0x0000)\w+|(?<=[+]0x)\w+|(?<=x:7:)\d+|(?<=#)\d/g,
        '_',
      ),
    );
    assert.deepEqual(texts, [
      'at Job.run (/srv/app/node_modules/r/a/b.x:7:_)',
      'File "/usr/lib/python3/dist-packages/a/b.x", line 7, in run',
      '/root/go/pkg/mod/example.org/r@v1.4.2/a/b.x:7 +0x_',
      'at /root/.cargo/registry/src/index.crates.io-6f17d22bba15001f/a/b.x:7:_',
      'at org.r.Job.run(b.x:7)',
      '#_  0x0000_ in run (argc=1) at b.x:7',
      'at org.r.Job.run() in C:\\build\\r\\a\\b.x:line 7',
      "/usr/a/b.x:7:in `run'",
      '#_ /var/www/html/vendor/r/r/a/b.x(7): Job->run()',
      'Can\'t call method "id" on an undefined value at /usr/share/perl5/a/b.x line 7.',
    ]);
  });

  it("names a line of a function's body, and every third time only the path and the line", () => {
    const { text, paths, line } = propose(stackLine, 'src/main.go')!;
    assert.match(text, /^\/root\/go\/.*\/src\/main\.go:4 \+0x/);
    assert.deepEqual([paths, line], [['src/main.go'], 4]);
    assert.equal(propose(stackLine, 'src/main.go', 2)!.text, 'src/main.go:4');
  });
});

describe('typed queries from packages of the lockfile', () => {
  const corpora = PACKAGES.map((name) => readCorpus(name, join('node_modules', name)));
  const queries = corpora.flatMap((corpus) => makeQueries(corpus, 3));

  it('are at least three of each class', () => {
    for (const { name } of RULES) {
      const count = queries.filter((query) => query.class === name).length;
      assert.ok(count >= 3, `${name}: ${count}`);
    }
  });

  it('are the same each time', () => {
    assert.deepEqual(
      corpora.flatMap((corpus) => makeQueries(corpus, 3)),
      queries,
    );
  });

  for (const { name } of RULES) {
    it(`have an answer with the text: ${name}`, () => {
      for (const query of queries.filter((one) => one.class === name)) {
        const corpus = corpora.find((one) => one.name === query.repository)!;
        for (const path of query.paths)
          assert.ok(answers(corpus.texts.get(path)!, path, query), `${query.text}: ${path}`);
      }
    });
  }
});

/** Whether a file has what its query is made of, checked without the rules. */
function answers(content: string, path: string, { class: name, text, line }: ClassifiedQuery): boolean {
  const lower = content.toLowerCase();
  const words = text.toLowerCase().split(/\s+/);
  switch (name) {
    case 'line of code':
    case 'half a symbol':
      return content.includes(text);
    case 'few words':
      return words.every((word) => lower.includes(word));
    case 'number':
      return words.some((word) => /\d/.test(word) && lower.includes(word));
    case 'option':
      return lower.includes(
        words
          .filter((word) => word !== 'option')
          .join('-')
          .replace(/^--/, ''),
      );
    case 'where is it configured':
      return words.slice(2, -1).every((word) => lower.includes(word));
    case 'error message': {
      // A filled placeholder is not in the file; at least three words are.
      return words.filter((word) => lower.includes(word)).length >= 3;
    }
    case 'path fragment':
      return path.includes(text.replace(' ', '/'));
    case 'like a regex':
      return new RegExp(text.replace(/^\/(.*)\/$/, '$1')).test(content);
    case 'stack line':
      return text.includes(`${path.split('/').at(-1)!}:${line!}`) && content.split('\n')[line! - 1]!.trim() !== '';
    default: {
      const edits = name === 'typo, one edit' ? 1 : 2;
      const known = new Set(content.match(/\w+/g)?.map((word) => word.toLowerCase()));
      const wrong = words.filter((word) => !known.has(word));
      return wrong.some((word) => [...known].some((other) => distance(word, other) === edits));
    }
  }
}

describe('the measurement of typed queries', () => {
  const makeFolder = temporaryFolder();

  it('searches an index of the folder, and finds the positions of right results', async () => {
    const folder = makeFolder();
    writeFiles(folder, {
      'a.ts': 'export const heron = 1;\n',
      'b.ts': 'export function egret() {\n  return heron;\n}\n',
    });
    const query = { repository: 'small', class: 'test', text: 'egret', paths: ['b.ts'] };
    const measured = await measure(folder, [query, { ...query, text: 'stork', paths: ['a.ts'] }], undefined);
    assert.deepEqual(
      measured.map(({ sextant, isIndexed }) => [sextant.rank, isIndexed]),
      [
        [1, true],
        [undefined, true],
      ],
    );
    assert.match(table(summaryRows(measured, 'class', (one) => one.class)), /^test +2 +1 +1 /m);
    assert.match(failureList(measured), /^small, test: stork\n {2}expected a\.ts, not among ten/);
  });

  it('wants a shown range to cover the line, where a line is expected', () => {
    const found = { path: 'a.ts', startLine: 3, endLine: 5 };
    assert.ok(isRight(found, { paths: ['a.ts', 'b.ts'], line: 5 }));
    assert.ok(isRight(found, { paths: ['a.ts'] }));
    assert.ok(!isRight(found, { paths: ['a.ts'], line: 6 }));
    assert.ok(!isRight(found, { paths: ['b.ts'] }));
    const query = { repository: 'r', class: 'c', text: 't', paths: ['a.ts'], line: 6, isIndexed: true };
    const measured: Measured = { ...query, sextant: { found: [found], ms: 1 } };
    assert.equal(
      fileAlone([measured]),
      'Of 1 queries that expect a line, the file alone is first for 1, among three for 1.',
    );
  });
});
