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
  });
  after(() => stop(server, 'SIGKILL'));

  it('is accessible in dark and light, wide and narrow, without a request, and prints', async () => {
    const context = await launchBrowser(newFolder());
    const requests: string[] = [];
    context.on('request', (request) => requests.push(request.url()));
    const tab = await context.newPage();
    mkdirSync(SHOTS, { recursive: true });
    for (const colorScheme of ['dark', 'light'] as const)
      for (const width of [1400, 400]) {
        await tab.emulateMedia({ colorScheme });
        await tab.setViewportSize({ width, height: 900 });
        await tab.goto(pathToFileURL(page).href);
        for (const table of await tab.locator('summary').all()) await table.click();
        await assertAccessible(tab, `report, ${colorScheme}, ${width}`, 'Default Dark Modern');
        await tab.screenshot({ path: join(SHOTS, `report-${colorScheme}-${width}.png`), fullPage: true });
      }
    assert.equal(await tab.getByRole('img').count(), 5);
    assert.equal(await tab.getByRole('heading', { name: 'By team' }).count(), 1);
    const pdf = await tab.pdf({ path: join(SHOTS, 'report.pdf'), format: 'A4' });
    assert.ok(pdf.byteLength > 10_000);
    assert.equal(pdf.subarray(0, 5).toString('latin1'), '%PDF-');
    assert.deepEqual([...new Set(requests)], [pathToFileURL(page).href]);
    assert.equal(readFileSync(page, 'utf8').includes('<b>Risk'), false);
    await context.close();
  });
});
