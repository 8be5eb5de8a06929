import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { launchBrowser } from '../../scripts/lib/browser.mjs';
import { commandRunner } from '../support/command.ts';
import { serve, stop, type ServeProcess } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { assertAccessible } from './accessible.ts';
import { ROOT } from './support.ts';

const SHOTS = join(ROOT, 'out/shots');

describe('the HTML report in a browser', () => {
  const newFolder = temporaryFolder();
  const run = commandRunner(newFolder);
  let server: ServeProcess;
  let page: string;
  let pageOfAll: string;
  before(async () => {
    const folder = newFolder();
    const state = join(folder, 'server');
    server = await serve(['--state', state, '--port', '0', '--users', '60', '--no-rate-limit']);
    const groups = join(folder, 'groups.csv');
    writeFileSync(groups, 'account,team\na*,Search\nb*,Billing & <b>Risk</b>\n*@*,All others\n');
    page = join(folder, 'report.html');
    const of = ['--state', join(folder, 'state'), '--server-state', state, '--groups', groups];
    const { code, stderr } = run('report', '--days', '14', '--format', 'html', '--output', page, ...of);
    assert.equal(code, 0, stderr);
    const token = join(folder, 'token');
    writeFileSync(token, server.info.token);
    const own = ['--state', join(folder, 'orgs')];
    // Two addresses are two organizations.
    const addresses = {
      acme: server.info.url,
      'Globex & <b>Co</b>': server.info.url.replace('127.0.0.1', 'localhost'),
    };
    for (const [name, url] of Object.entries(addresses))
      assert.equal(run('orgs', 'add', name, url, '--token-file', token, ...own).code, 0);
    pageOfAll = join(folder, 'all.html');
    const forAll = ['--all-orgs', '--groups', groups, '--format', 'html', '--output', pageOfAll, ...own];
    const all = run('report', '--days', '14', ...forAll);
    assert.equal(all.code, 0, all.stderr);
  });
  after(() => stop(server, 'SIGKILL'));

  it('is accessible in dark and light, wide and narrow, without a request, and prints', async () => {
    const context = await launchBrowser(newFolder());
    const requests: string[] = [];
    context.on('request', (request) => requests.push(request.url()));
    const tab = await context.newPage();
    mkdirSync(SHOTS, { recursive: true });
    const look = async (file: string, name: string, colorScheme: 'dark' | 'light', width: number): Promise<void> => {
      await tab.emulateMedia({ colorScheme });
      await tab.setViewportSize({ width, height: 900 });
      await tab.goto(pathToFileURL(file).href);
      for (const table of await tab.locator('summary').all()) await table.click();
      await assertAccessible(tab, `${name}, ${colorScheme}, ${width}`, 'Default Dark Modern');
      await tab.screenshot({ path: join(SHOTS, `${name}-${colorScheme}-${width}.png`), fullPage: true });
    };
    await look(pageOfAll, 'report-of-all', 'dark', 1400);
    await look(pageOfAll, 'report-of-all', 'light', 400);
    assert.ok((await tab.getByRole('heading', { name: 'Globex & <b>Co</b>' }).count()) > 0);
    const pdfOfAll = await tab.pdf({ path: join(SHOTS, 'report-of-all.pdf'), format: 'A4' });
    assert.equal(pdfOfAll.subarray(0, 5).toString('latin1'), '%PDF-');
    for (const colorScheme of ['dark', 'light'] as const)
      for (const width of [1400, 400]) await look(page, 'report', colorScheme, width);
    assert.equal(await tab.getByRole('img').count(), 5);
    assert.equal(await tab.getByRole('heading', { name: 'By team' }).count(), 1);
    const pdf = await tab.pdf({ path: join(SHOTS, 'report.pdf'), format: 'A4' });
    assert.ok(pdf.byteLength > 10_000);
    assert.equal(pdf.subarray(0, 5).toString('latin1'), '%PDF-');
    assert.deepEqual(new Set(requests), new Set([pageOfAll, page].map((file) => pathToFileURL(file).href)));
    assert.equal(readFileSync(page, 'utf8').includes('<b>Risk'), false);
    await context.close();
  });
});
