import assert from 'node:assert/strict';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder, writeFiles } from '../../test/support/temporary.ts';
import { silentLogger } from '../base/log.ts';
import { RecentLog } from '../base/recentLog.ts';
import { formatDiagnostics, makeDiagnostics, type Diagnostics } from './diagnostics.ts';
import { FolderIndex } from './folderIndex.ts';
import { DEFAULT_EXCLUDE, MAX_FILE_BYTES, type FolderOptions } from './folderOptions.ts';
import { indexProblemOf } from './problems.ts';

describe('Diagnostics', () => {
  const folder = temporaryFolder();
  const now = new Date(Date.UTC(2026, 10, 21, 20, 30));

  function make(options: FolderOptions, log: readonly string[]): Diagnostics {
    const message = `EACCES: permission denied, scandir '${options.root}/wages'`;
    const problems = [indexProblemOf('EACCES', message)];
    const settings = { 'sextant.x': '3 entries' };
    const folders = [{ options, settings, state: 'the folder cannot be read', skipped: { secret: 2 }, problems }];
    const versions = { sextant: '0.1.0', host: `ssh, 10.0.0.7 on ${hostname()}` };
    return makeDiagnostics({ versions, settings: { 'sextant.x': '2 entries' }, folders, log, now });
  }

  function open(): FolderOptions {
    return { root: folder(), stateFolder: folder(), exclude: DEFAULT_EXCLUDE, maxFileBytes: MAX_FILE_BYTES };
  }

  it('redact names of people and folders in every part', async () => {
    const options = open();
    writeFiles(options.root, { 'wage list.ts': 'export const x = 1;\n' });
    const edges = { logger: silentLogger, now: () => Date.now() + 60_000, onStatus: () => undefined };
    const index = FolderIndex.open(options, edges);
    await index.reconcile();
    await index.close();
    const log = [
      `${options.root}: wage list.ts could not be read`,
      `see ${join(homedir(), 'notes.md')} of grace@example.org with token=abc123`,
    ];
    const diagnostics = make(options, log);
    for (const text of [formatDiagnostics(diagnostics), JSON.stringify(diagnostics)]) {
      for (const name of ['wage', options.root, 'notes', 'grace', 'abc123', '10.0.0.7', hostname()])
        assert.equal(text.includes(name), false, `${name} in ${text}`);
    }
    assert.deepEqual(diagnostics.log, [
      '<folder 1>: <path 2>.ts could not be read',
      'see ~<path 3>.md of <e-mail> with <token>',
    ]);
    assert.match(diagnostics.folders[0]!.problems[0]!.message, /^EACCES: permission denied, scandir '<path 1>'\.$/);
    assert.equal(diagnostics.folders[0]!.files, 1);
  });

  it('report problems of a folder instead of failing', () => {
    const options = { ...open(), root: '/nowhere/at/all', stateFolder: '/nowhere/state' };
    const text = formatDiagnostics(make(options, []));
    assert.match(text, /^Folder <folder 1>\n {2}sextant\.x {2}3 entries\n/m);
    assert.match(text, /^ {2}problem EACCES: .* Allow Sextant to read the folder\.$/m);
    assert.match(text, /^Log, last 0 lines\n {2}\(nothing\)$/m);
  });
});

describe('RecentLog', () => {
  it('passes every line on, and keeps the last ones', () => {
    const said: string[] = [];
    const to = { ...silentLogger, warn: (text: string) => void said.push(text) };
    const log = new RecentLog(to, () => new Date(0), 2);
    log.info('one');
    log.warn('two');
    log.error('three');
    assert.deepEqual(said, ['two']);
    assert.deepEqual(log.lines, ['1970-01-01T00:00:00.000Z warn two', '1970-01-01T00:00:00.000Z error three']);
  });
});
