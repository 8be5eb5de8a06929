import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { fileLogger } from './log.ts';

describe('the log in a file', () => {
  const folder = temporaryFolder();

  it('has a line for each message, for its owner only', () => {
    const file = join(folder(), 'server.log');
    const log = fileLogger(file);
    log.info('one');
    log.debug('two');
    log.error('three');
    assert.match(readFileSync(file, 'utf8'), /^\S+Z info one\n\S+Z error three\n$/);
    if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o077, 0);
  });

  it('loses lines that the disk does not take, without an error for the caller', () => {
    const place = folder();
    const log = fileLogger(join(place, 'later', 'server.log'));
    log.error('lost');
    mkdirSync(join(place, 'later'));
    log.error('kept');
    assert.match(readFileSync(join(place, 'later', 'server.log'), 'utf8'), /^\S+ error kept\n$/);
  });
});
