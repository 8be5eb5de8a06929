import assert from 'node:assert/strict';
import fc from 'fast-check';
import { prettyBody } from './eventText.ts';

describe('the body of an event, indented', () => {
  const pretty = (body: string): string => prettyBody({ body });

  it('is what JSON.stringify makes, of whatever it made', () => {
    const json = fc.json({ depthSize: 'medium' });
    fc.assert(fc.property(json, (body) => pretty(body) === `${JSON.stringify(JSON.parse(body), null, 2)}\n`));
    fc.assert(fc.property(json, (body) => pretty(pretty(body)) === pretty(body)));
  });

  it('has numbers, escapes and repeated keys as they were sent', () => {
    assert.equal(
      pretty(' {"n":12345678901234567890,\r\n\t"f" : 1.50e+3,"s":"\\u00e9 \\"{,:[ \\\\","n":-0,"e":{ },"a":[\n]} \n'),
      '{\n  "n": 12345678901234567890,\n  "f": 1.50e+3,\n  "s": "\\u00e9 \\"{,:[ \\\\",\n  "n": -0,\n  "e": {},\n  "a": []\n}\n',
    );
    assert.equal(pretty(' 1.0 '), '1.0\n');
  });

  it('takes a time that grows as the body does', function () {
    this.timeout(5_000);
    const flat = `[${'1,'.repeat(1 << 19)}1]`;
    assert.equal(pretty(flat), `[\n${'  1,\n'.repeat(1 << 19)}  1\n]\n`);
    const commit = {
      id: 'f'.repeat(40),
      message: 'Say "why"\n',
      author: { name: 'é', emails: ['a@b', 'c@d'] },
      added: [],
    };
    const push = { ref: 'refs/heads/main', commits: Array.from({ length: 3000 }, () => commit) };
    assert.equal(pretty(JSON.stringify(push)), `${JSON.stringify(push, null, 2)}\n`);
    const long = JSON.stringify('\\n'.repeat(1 << 20));
    assert.equal(pretty(long), `${long}\n`);
  });

  it('is the body as it came where indented it would be nothing to read', function () {
    this.timeout(5_000);
    const nested = (depth: number, inner = ''): string => `${'['.repeat(depth)}${inner}${']'.repeat(depth)}`;
    assert.equal(pretty(nested(100)), `${JSON.stringify(JSON.parse(nested(100)), null, 2)}\n`);
    for (const body of [nested(20_000), nested(500_000), nested(150, `1${',1'.repeat(500_000)}`)])
      assert.equal(pretty(body), `${body}\n`);
  });
});
