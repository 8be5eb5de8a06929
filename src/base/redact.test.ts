import assert from 'node:assert/strict';
import fc from 'fast-check';
import { times } from '../../test/support/runs.ts';
import { Redactor } from './redact.ts';

describe('Redactor', () => {
  const make = (names: readonly string[] = []): Redactor =>
    new Redactor({
      home: '/home/ada',
      user: 'ada',
      host: 'lighthouse',
      folders: ['/home/ada/My Project', '/srv/harbour'],
      names,
    });

  it('removes identity and location, and keeps the events', () => {
    const redactor = make(['price list.txt']);
    const lines = [
      '/home/ada/My Project: 15 files are indexed',
      "EACCES: permission denied, open '/home/ada/My Project/src/a b.ts'",
      "EACCES: permission denied, open '/home/ada/My Project/src/a b.ts' again",
      'Watching /srv/harbour/src/money/amount.ts: ENOSPC: System limit for number of file watchers reached',
      'The index was damaged: segment-1.sxs, block 0. 15 documents are to be added again.',
      'Process 4711 on lighthouse is writing to this index.',
      'indexing 12,345/78,579 files of ada, see .env and Makefile.am or price list.txt.',
      'C:\\Users\\ada\\code\\x.cs cannot be read',
      'mail ada.lovelace@example.org, host 192.168.1.7, http://ada:pw@git.example.org/x.git',
      'Authorization: Bearer abc.def password=hunter2 whsec_0123456789abcdef',
      'document 4d967a30111bf29f0eba01c448b375c1629b2fed01cdfcc3aed91f1b57d5dd5e is lost',
      'the setting sextant.index.exclude has 2 patterns; VS Code 1.103.2, Node v24.21.0, 4.2 MB',
      '~/code/x and ./y/z and ..\\q',
      '2026-11-21T19:30:01.123Z warn 19:30:01',
    ];
    assert.deepEqual(
      lines.map((line) => redactor.redact(line)),
      [
        '<folder 1>: 15 files are indexed',
        "EACCES: permission denied, open '<path 1>.ts'",
        "EACCES: permission denied, open '<path 1>.ts' again",
        'Watching <folder 2><path 2>.ts: ENOSPC: System limit for number of file watchers reached',
        'The index was damaged: segment-1.sxs, block 0. 15 documents are to be added again.',
        'Process 4711 on <host> is writing to this index.',
        'indexing 12,345/78,579 files of <user>, see <path 3> and <path 4>.am or <path 5>.txt.',
        '<path 6>.cs cannot be read',
        'mail <e-mail>, host <address>, <address>',
        '<token> <token> <token>',
        'document <token> is lost',
        'the setting sextant.index.exclude has 2 patterns; VS Code 1.103.2, Node v24.21.0, 4.2 MB',
        '<path 7> and <path 8> and <path 9>',
        '2026-11-21T19:30:01.123Z warn 19:30:01',
      ],
    );
    assert.ok(redactor.counts.path! > 5 && redactor.counts.token === 4);
  });

  it('redacts all strings of a value', () => {
    const value = { a: ['/home/ada/x.ts', 1, null], b: { user: 'ada', on: true } };
    assert.deepEqual(make().redactAll(value), { a: ['~<path 1>.ts', 1, null], b: { user: '<user>', on: true } });
  });

  it('leaves neither known facts nor private-looking text, in any position', () => {
    const part = fc.stringMatching(/^[a-zA-Z0-9_-]{3,12}$/);
    const extension = fc.constantFrom('ts', 'py', 'go', 'md', 'json', 'h');
    const path = fc
      .tuple(fc.array(part, { minLength: 1, maxLength: 4 }), extension, fc.constantFrom('', '/', './', '~/', 'C:\\'))
      .map(([parts, end, start]) => `${start}${parts.join(start === 'C:\\' ? '\\' : '/')}.${end}`);
    const secret = fc.oneof(
      path.map((text) => [text, text.slice(0, text.lastIndexOf('.'))] as const),
      part.map((text) => [`${text}@example.org`, `${text}@`] as const),
      fc.stringMatching(/^[a-f]{1}[a-f0-9]{30}7$/).map((text) => [text, text] as const),
      part.map((text) => [`ghp_${text}01234567`, text] as const),
      part.map((text) => [`token=Q${text}Q`, `Q${text}Q`] as const),
      fc.constantFrom('/home/ada', 'lighthouse', 'ada').map((text) => [text, text] as const),
      part.map((text) => [`/home/ada/My Project/${text}`, text.length > 3 ? `/${text}` : 'My Project'] as const),
    );
    const glue = fc.constantFrom(' ', ': ', ' (', ') ', ', ', ' "', '" ', "' ", " '", '; ', ' = ', '\n');
    const words = fc.constantFrom('could not read', 'failed', 'is gone', '42 files', 'warn');
    fc.assert(
      fc.property(fc.array(fc.tuple(words, glue, secret, glue), { minLength: 1, maxLength: 5 }), (pieces) => {
        const line = pieces.map(([before, left, [text], right]) => `${before}${left}${text}${right}`).join('');
        const redacted = make().redact(line);
        for (const [, , [text, core]] of pieces) {
          const isWord = text === 'ada';
          const leaks = isWord ? /(?<![\w<])ada(?![\w>])/.test(redacted) : redacted.includes(core);
          assert.ok(!leaks, `${JSON.stringify(line)} became ${JSON.stringify(redacted)}`);
        }
      }),
      { numRuns: times(2000) },
    );
  });

  it('matches any name of a person, a machine or a folder literally', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 3, maxLength: 12 }).filter((text) => !/\s/.test(text));
    fc.assert(
      fc.property(name, name, name, (user, host, folder) => {
        const facts = { home: `/home/${user}`, user, host, folders: [`/srv/${folder}`] };
        const redacted = new Redactor(facts).redact(`1 /srv/${folder}: 2`);
        assert.equal(redacted.replace(/<(?:user|host)>/g, ''), '1 <folder 1>: 2'.replace(/<(?:user|host)>/g, ''));
      }),
    );
  });

  it('is quick on a long line', () => {
    const line = `${'a'.repeat(50_000)} ${'/x'.repeat(20_000)} ${"'".repeat(3_000)} ${'a.'.repeat(10_000)}`;
    assert.ok(make().redact(line).length > 0);
  });
});
