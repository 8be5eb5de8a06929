import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { spawnUntil } from '../../../test/support/processes.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { OrganizationFile } from './organizationFile.ts';

const ADD_20 = `
  import { OrganizationFile } from './src/analytics/client/organizationFile.ts';
  const [state, name] = process.argv.slice(-2);
  for (let i = 0; i < 20; i++) {
    await new OrganizationFile(state).add({ name: name + i, url: 'https://a.example.com', token: { env: 'TOKEN' } });
    console.log('added ' + i);
  }
`;

describe('the organizations of the command', () => {
  const folder = temporaryFolder();
  const code = (name: string) => ({ name: 'SextantError', code: name });

  it('are kept with the places of their tokens, and connect with the token of the moment', async () => {
    const state = folder();
    const file = new OrganizationFile(state);
    const secret = join(state, 'secret');
    assert.deepEqual(file.read(), []);
    await file.add({ name: 'Acme Inc.', url: 'https://acme.example.com/', token: { env: 'ACME_TOKEN' } });
    await file.add({ name: 'globex', url: 'http://127.0.0.1:1', token: { file: secret } });
    assert.deepEqual(file.connection('Acme Inc.', { ACME_TOKEN: 't0ken-a' }), {
      url: 'https://acme.example.com',
      token: 't0ken-a',
    });
    assert.throws(() => file.connection('globex', {}), code('NotConnected'));
    writeFileSync(secret, 't0ken-b\n');
    assert.equal(file.connection('globex', {}).token, 't0ken-b');
    assert.equal(readFileSync(file.path, 'utf8').includes('t0ken'), false);
    if (process.platform !== 'win32') assert.equal(statSync(file.path).mode & 0o777, 0o600);
    assert.equal(await file.remove('globex'), true);
    assert.equal(await file.remove('globex'), false);
    assert.deepEqual(file.read().map(({ name }) => name), ['Acme Inc.']); // oxfmt-ignore
  });

  it('have no double names, no addresses that would show the token, and no odd names', async () => {
    const file = new OrganizationFile(folder());
    const add = (name: string, url: string, env = 'TOKEN'): Promise<unknown> => file.add({ name, url, token: { env } });
    await add('acme', 'https://a.example.com');
    for (const name of ['Crew 👩🏽‍🚀', 'شرکت می‌سازیم']) await add(name, 'https://a.example.com');
    await assert.rejects(add('acme', 'https://b.example.com'), code('BadOrganization'));
    await assert.rejects(add('b', 'http://b.example.com'), code('InsecureUrl'));
    await assert.rejects(add('b', 'https://user:pass@b.example.com'), code('BadUrl'));
    for (const name of ['', ' a', 'a\n', 'a\u001b[31m', 'x'.repeat(65), '\u202Ea'])
      await assert.rejects(add(name, 'https://b.example.com'), code('BadOrganization'), JSON.stringify(name));
    await assert.rejects(add('b', 'https://b.example.com', 'A B'), code('BadOrganization'));
    assert.throws(() => file.connection('acme', {}), /The token of acme is missing\. Set TOKEN\./);
    assert.throws(() => file.connection('other', {}), /There is no organization other\. Known are acme, /);
  });

  it('are all kept when several processes add them at the same time', async () => {
    const state = folder();
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    await Promise.all(names.map((name) => spawnUntil('added 19', ADD_20, [state, name])));
    assert.equal(new OrganizationFile(state).read().length, 20 * names.length);
  });

  it('are reported with their place in the file if it is damaged', () => {
    const file = new OrganizationFile(folder());
    mkdirSync(dirname(file.path), { recursive: true });
    for (const text of ['{', '{"organizations":[{"name":"a","url":"https://a.example.com","token":"secret"}]}']) {
      writeFileSync(file.path, text);
      assert.throws(() => file.read(), code('BadOrganization'));
      assert.throws(() => file.read(), (error: Error) => !error.message.includes('secret')); // oxfmt-ignore
    }
  });
});
