import assert from 'node:assert/strict';
import { forwardName, isHttpUrl, NAME } from './names.ts';

describe('names of webhooks, triggers and experts', () => {
  it('of a forwarding expert derive from the trigger, and avoid taken names', () => {
    assert.equal(forwardName('bugs', ['record']), 'bugs forward');
    assert.equal(forwardName('bugs', ['bugs forward', 'bugs forward 2']), 'bugs forward 3');
    const long = 'x'.repeat(64);
    const first = forwardName(long, []);
    assert.match(first, NAME);
    assert.match(forwardName(long, [first]), /^x{54} forward 2$/);
  });

  it('leave no password in a URL', () => {
    for (const url of ['http://host', 'https://host:8080/a?b']) assert.ok(isHttpUrl(url), url);
    for (const url of ['http://', 'host', 'ftp://host', 'http://u:p@host', 'http://u@host', ''])
      assert.ok(!isHttpUrl(url), url);
  });
});
