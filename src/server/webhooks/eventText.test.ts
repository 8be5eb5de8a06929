import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { suiteServer } from '../../../test/support/suiteServer.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { describeJournalDamage } from '../../webhooks/journal/damage.ts';
import { WEBHOOK_TYPES } from '../../webhooks/names.ts';
import { asCurl, damageLines, prettyBody } from './eventText.ts';
import type { EventView, NewWebhookView } from './views.ts';

describe('damage to the journal', () => {
  it('has short lines and the path in one piece', () => {
    const file = '/home/J. Smith/webhooks/events/segment-1.log';
    const damage = [
      { file, from: 8, to: 300, records: 1 },
      { file, from: 0, to: 32, isMark: true },
    ] as const;
    assert.equal(
      damageLines(damage.map(describeJournalDamage)),
      `The journal is damaged:
${file},
bytes 8 to 300.
1 record is lost; all others are whole.
Restore the file from a backup, or have the deliveries sent again.

The journal is damaged:
${file},
which notes its end, is missing or unreadable.
Its newest records may be lost; all others are whole.
Restore the file from a backup, or have the deliveries sent again.
`,
    );
  });
});

describe('the body of an event, indented', () => {
  const pretty = (body: string): string => prettyBody({ body });

  it('equals the output of JSON.stringify', () => {
    const json = fc.json({ depthSize: 'medium' });
    fc.assert(fc.property(json, (body) => pretty(body) === `${JSON.stringify(JSON.parse(body), null, 2)}\n`));
    fc.assert(fc.property(json, (body) => pretty(pretty(body)) === pretty(body)));
  });

  it('keeps numbers, escapes and repeated keys unchanged', () => {
    assert.equal(
      pretty(' {"n":12345678901234567890,\r\n\t"f" : 1.50e+3,"s":"\\u00e9 \\"{,:[ \\\\","n":-0,"e":{ },"a":[\n]} \n'),
      '{\n  "n": 12345678901234567890,\n  "f": 1.50e+3,\n  "s": "\\u00e9 \\"{,:[ \\\\",\n  "n": -0,\n  "e": {},\n  "a": []\n}\n',
    );
    assert.equal(pretty(' 1.0 '), '1.0\n');
  });

  it('is a text that is no JSON as it came', () => {
    for (const body of ['Deploy of   web\n  took [3, 4] s', '{"a": 1}\n{"b": 2}', '<a b="c d"/>', '{"cut": [1', ''])
      assert.equal(pretty(body), `${body}\n`);
  });

  it('takes a time that grows as the body does', function () {
    this.timeout(60_000);
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
    this.timeout(60_000);
    const nested = (depth: number, inner = ''): string => `${'['.repeat(depth)}${inner}${']'.repeat(depth)}`;
    assert.equal(pretty(nested(100)), `${JSON.stringify(JSON.parse(nested(100)), null, 2)}\n`);
    for (const body of [nested(20_000), nested(500_000), nested(150, `1${',1'.repeat(500_000)}`)])
      assert.equal(pretty(body), `${body}\n`);
  });
});

describe('an event as a curl command', function () {
  if (process.platform === 'win32') return;
  const suite = suiteServer();
  const newFolder = temporaryFolder();

  /** Output of a shell that runs a pasted command. */
  async function said(command: string, secret: string): Promise<string> {
    const env = { ...process.env, SECRET: secret };
    const shell = spawn('sh', { env, stdio: ['pipe', 'pipe', 'ignore'] });
    shell.stdin.end(`${command}\n`);
    return text(shell.stdout);
  }

  const odd = ` {"it's": "100% %s \\\\ \\n \\" $HOME \`id\` é \u007f!",\n\r\n"n": 1.0, "n": 2}`;
  const bodies = [odd, `${odd}\n\n`, '3', `[${odd}${`,${odd}`.repeat(300_000 / odd.length)}]\n`];

  const signature = {
    ...{ header: 'X-Sign', algorithm: 'sha512', encoding: 'base64', prefix: `it's $1 ` },
    ...{ signed: `v"0'{timestamp}{body}.`, timestamp_header: 'X-At', timestamp_prefix: 'at=' },
  };

  for (const type of WEBHOOK_TYPES)
    it(`comes to a webhook of type ${type} as it came before`, async () => {
      const webhook = await suite.client.ask<NewWebhookView>('POST', 'webhooks', {
        ...{ name: type, type, ...(type === 'hmac' && { signature }) },
      });
      const headers = [
        ['x-kind', "it's $1"],
        ['Content-Type', 'application/json'],
        ['authorization', '[redacted]'],
        ['webhook-id', '1'],
      ] as const;
      const ids = new Set<string>();
      for (const body of [...bodies, odd]) {
        const command = asCurl({ headers, body }, webhook);
        assert.ok(webhook.secret === '' || !command.includes(webhook.secret));
        const answer = await said(command, webhook.secret);
        const { event_id: id } = JSON.parse(answer) as { event_id: string };
        const event = await suite.client.ask<EventView>('GET', `events/${id}`);
        assert.equal(event.body, body);
        assert.equal(new Map(event.headers).get('x-kind'), "it's $1");
        ids.add(id);
      }
      assert.equal(ids.size, bodies.length + 1, 'each command creates an event');
      if (type === 'anything') return;
      assert.match(await said(asCurl({ headers, body: '3' }, webhook), `whsec_${'A'.repeat(43)}=`), /Unauthenticated/);
    });

  it('sends a body that names a file, and a query that curl would expand, as they came', async () => {
    const file = join(newFolder(), 'secret');
    writeFileSync(file, 'SECRET');
    const webhook = await suite.client.ask<NewWebhookView>('POST', 'webhooks', {
      ...{ name: 'any', type: 'bearer_token', content: 'any' },
    });
    const sent = { headers: [['content-type', 'text/plain']] as const, body: `@${file}`, query: 'a=[1-3]&b={x,y}' };
    const answer = await said(asCurl(sent, webhook), webhook.secret);
    const { event_id: id } = JSON.parse(answer) as { event_id: string };
    const event = await suite.client.ask<EventView>('GET', `events/${id}`);
    assert.deepEqual([event.body, event.query], [sent.body, sent.query]);
  });
});
