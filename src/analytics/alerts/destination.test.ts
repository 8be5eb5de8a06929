import assert from 'node:assert/strict';
import { chmodSync, statSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { folderOfTest } from '../../../test/support/temporary.ts';
import { SextantError } from '../../base/errors.ts';
import { destinationId, kindOfUrl, readDestination, redactedUrl, withoutSecrets } from './destination.ts';
import { DestinationFile } from './destinationFile.ts';

const SLACK = 'https://hooks.slack.com/services/T000/B000/XXXXsecret';

describe('a destination of alerts', () => {
  it('has the form of the owner of its URL', () => {
    const workflow = 'https://prod-01.westeurope.logic.azure.com:443/workflows/abc/triggers/manual/paths/invoke?sig=s';
    const power = 'https://default0.11.environment.api.powerplatform.com/powerautomate/automations/direct/workflows/w?sig=s'; // oxfmt-ignore
    assert.deepEqual([SLACK, workflow, power, 'https://example.com/hook'].map(kindOfUrl), ['slack', 'teams', 'teams', 'json']); // oxfmt-ignore
    assert.equal(kindOfUrl('https://hooks.slack.com.evil.example/services/x'), 'json');
    assert.equal(readDestination({ name: 'ops', url: SLACK, kind: 'json' }).kind, 'json');
  });

  it('is refused without encryption, except on this machine', () => {
    for (const url of ['http://example.com/x', 'ftp://example.com', 'https://a:b@example.com/', 'secret', ''])
      assert.throws(() => readDestination({ name: 'ops', url }), isInvalid, url);
    assert.equal(readDestination({ name: 'ops', url: 'http://127.0.0.1:80/x' }).url, 'http://127.0.0.1/x');
  });

  it('is refused with a wrong name, hours, zone or group, and never with its URL in the message', () => {
    for (const wrong of [
      { name: '' },
      { quiet: '20-7' },
      { quiet: '20:00-20:00' },
      { quiet: '20:00-07:00', timeZone: 'Mars/Base' },
      { group: 'team' },
    ])
      // oxfmt-ignore
      assert.throws(
        () => readDestination({ name: 'ops', url: SLACK, ...wrong }),
        (error) => isInvalid(error) && !(error as Error).message.includes('secret'),
      );
  });

  it('is shown and named without its secrets', () => {
    assert.equal(redactedUrl(SLACK), 'https://hooks.slack.com/…');
    assert.match(destinationId({ url: SLACK }), /^[0-9a-f]{12}$/);
    const secret = fc.stringMatching(/^[A-Za-z0-9%&=+~-]{4,30}$/);
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 4 }), secret, (parts, sig) => {
        const { href, pathname, search } = new URL(
          `https://example.com/${parts.map(encodeURIComponent).join('/')}?sig=${encodeURIComponent(sig)}`,
        );
        const answer = withoutSecrets(`Cannot POST ${pathname}${search} (${parts.join('+')} ${sig})`, href);
        for (const part of [...parts, sig]) assert.ok(!answer.includes(part), `${part} in ${answer}`);
      }),
    );
  });
});

describe('the file of destinations', () => {
  const folder = folderOfTest();
  const ops = readDestination({ name: 'ops', url: SLACK });

  it('is for its owner alone', async function () {
    const file = new DestinationFile(folder());
    assert.deepEqual(file.read(), []);
    await file.add(ops);
    assert.deepEqual(file.read(), [ops]);
    if (process.platform === 'win32') this.skip();
    assert.equal(statSync(file.path).mode & 0o777, 0o600);
    chmodSync(file.path, 0o640);
    assert.throws(() => file.read(), { code: 'UnsafeDestinations' });
  });

  it('has each name and URL once', async () => {
    const file = new DestinationFile(folder());
    await file.add(ops);
    await assert.rejects(file.add({ ...ops, url: 'https://example.com/' }), isInvalid);
    await assert.rejects(file.add({ ...ops, name: 'other' }), isInvalid);
    assert.deepEqual([await file.remove('none'), await file.remove('ops'), file.read().length], [false, true, 0]);
  });

  it('is refused if it was edited wrongly, with the place', async () => {
    const file = new DestinationFile(folder());
    await file.add(ops);
    writeFileSync(file.path, JSON.stringify({ destinations: [{ ...ops, on: ['always'] }] }));
    assert.throws(() => file.read(), /destinations\.0\.on\.0/);
    writeFileSync(file.path, '{');
    assert.throws(() => file.read(), isInvalid);
  });
});

function isInvalid(error: unknown): boolean {
  return error instanceof SextantError && error.code === 'InvalidDestination';
}
