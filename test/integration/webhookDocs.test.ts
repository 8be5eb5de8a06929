import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMAND } from '../support/command.ts';
import { temporaryFolder } from '../support/temporary.ts';

const DOCS = join(import.meta.dirname, '../../docs/webhooks.md');

describe('the commands of docs/webhooks.md', () => {
  const folder = temporaryFolder();

  it('succeed in their order, as they are written', function () {
    const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
    if (process.platform === 'win32' || !['bash', 'jq', 'curl', 'timeout'].every(has)) this.skip();
    const blocks = [...readFileSync(DOCS, 'utf8').matchAll(/```console\n([\s\S]*?)```/g)].map(([, block]) => block!);
    const commands = blocks.flatMap((block) => [...block.matchAll(/^\$ (.*)$/gm)].map(([, command]) => command!));
    assert.ok(commands.length >= 10, `${commands.length}`);
    // All commands are in blocks of this kind; others hold JSON.
    const kinds = [...readFileSync(DOCS, 'utf8').matchAll(/^```(\w*)\n/gm)]
      .map(([, kind]) => kind)
      .filter((kind) => kind !== '');
    assert.deepEqual(new Set(kinds), new Set(['console', 'json']));
    const lines = commands.flatMap((command) => {
      // It runs until Ctrl-C.
      if (command.startsWith('sextant listen')) return [`timeout -s INT 6 ${command} || test $? = 124`];
      // A person waits until it says that it is ready.
      if (command.endsWith('&')) {
        const state = /--state \S+/.exec(command)?.[0] ?? '';
        return [command, `until sextant triggers list ${state}; [ $? -le 1 ]; do sleep 0.2; done`];
      }
      return [command];
    });
    const place = folder();
    const bin = join(place, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'sextant'), `#!/bin/sh\nexec '${process.execPath}' '${COMMAND}' "$@"\n`);
    chmodSync(join(bin, 'sextant'), 0o755);
    writeFileSync(join(place, 'stripe-secret.txt'), 'whsec_ASecretOfStripe\n');
    const script = ['set -ex', "trap 'kill $(jobs -p); wait' EXIT", ...lines].join('\n');
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, HOME: place, XDG_DATA_HOME: join(place, 'data') };
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
      cwd: place,
      env,
      encoding: 'utf8',
      timeout: 120_000,
    });
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^When an event comes to issues and `action` is "opened": record it\.$/m);
    assert.match(stdout, /opened did not fire: `action` is "opened": `action` was "closed"/);
    assert.match(stdout, /^notes {3}runs tee -a notes\.txt: 1 at once, 60 s each, 3 attempts$/m);
    assert.match(stdout, /^invoices +bearer_token +organization of jo +enabled /m);
    assert.match(stdout, /"name":"deploys"/);
    assert.match(stdout, /github localhost-3000 forwards to http:\/\/localhost:3000\/hooks/);
  });
});
