import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serve, stop } from '../support/servers.ts';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';
import { Workbench, copySample } from './support.ts';

const FACTS = [
  { kind: 'org', plan: 'usd', enterprise: true },
  { kind: 'user', user_email: 'ada@example.com' },
];
const THEMES = ['Default Dark Modern', 'Default Light Modern', 'Default High Contrast'];

describe('the local server view', () => {
  const newFolder = temporaryFolder();
  let folder: string;
  beforeEach(() => (folder = newFolder()));

  /** A window on a folder whose settings name a data file; its server's state is in a folder of the test's own. */
  async function open(options: Parameters<typeof Workbench.open>[0] = {}): Promise<Workbench> {
    const root = copySample(join(folder, 'harbour'));
    const settings = { 'sextant.server.dataFile': 'facts.ndjson' };
    const facts = FACTS.map((fact) => `${JSON.stringify(fact)}\n`).join('');
    writeFiles(root, { '.vscode/settings.json': JSON.stringify(settings), 'facts.ndjson': facts });
    const workbench = await Workbench.open({ folder: root, env: { XDG_DATA_HOME: folder }, ...options });
    await workbench.openSextantView();
    await workbench.expand('Local Server');
    return workbench;
  }

  const state = (): string => join(folder, 'sextant/server');

  for (const theme of THEMES) {
    it(`leads from nothing to a server and back, in ${theme}`, async () => {
      const workbench = await open({ settings: { 'workbench.colorTheme': theme } });
      const shoot = (name: string): Promise<void> =>
        workbench.shoot(`server-${name}-${theme.toLowerCase().replaceAll(' ', '-')}`);
      const { page } = workbench;
      try {
        const start = page.getByRole('button', { name: 'Start Local Server' }).last();
        await start.waitFor();
        await shoot('stopped');
        await start.click();
        await workbench.treeItem(/^Running in this window/).waitFor();
        await workbench.treeItem(/^Address http:\/\/127\.0\.0\.1:\d+/).waitFor();
        await workbench.treeItem(/^Data facts\.ndjson/).hover();
        await shoot('running');

        await workbench.treeItem(/^Token click to copy it/).click();
        await page.getByText('The token of the local server was copied.').waitFor();

        writeFileSync(join(folder, 'harbour/facts.ndjson'), '{"kind":"user"}\n');
        await workbench.run('Sextant: Restart Local Server');
        await workbench.treeItem(/^It does not run facts\.ndjson, line 1: user_email must be/).waitFor();
        await workbench.treeItem(/^Change its settings/).waitFor();
        await shoot('failed');
        await page.keyboard.press('Escape');

        writeFileSync(join(folder, 'harbour/facts.ndjson'), '');
        await workbench.treeItem(/^Start it again/).click();
        await workbench.treeItem(/^Data none: every answer is empty/).waitFor();
        await workbench.run('Sextant: Stop Local Server');
        await start.waitFor();
      } finally {
        await workbench.close();
      }
    });
  }

  it('shows the server that a terminal runs, says that it stops only there, and notices when it does', async () => {
    const server = await serve(['--state', state()]);
    const workbench = await open();
    const { page } = workbench;
    try {
      // Nobody asked: it is enough to look at the view.
      await workbench.treeItem(new RegExp(`^Attached to the server of process ${server.child.pid}`)).waitFor();
      await workbench.treeItem(new RegExp(`^Address ${server.info.url}`)).waitFor();
      await workbench.run('Sextant: Stop Local Server');
      await page.getByText(`Process ${server.child.pid} runs the server. Stop it there`).first().waitFor();
      await workbench.shoot('server-attached');
      assert.equal(await stop(server), 0);
      await workbench.treeItem(/^Attached/).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Start Local Server' }).last().waitFor();
    } finally {
      await workbench.close();
      server.child.kill('SIGKILL');
    }
  });

  it('starts nothing by itself in a folder that is not trusted, and takes no settings of it when asked to', async () => {
    const workbench = await open({ trust: true });
    const { page } = workbench;
    try {
      await page.getByText('Restricted Mode is intended for safe code browsing').waitFor();
      // The extension runs, and has had its time.
      await workbench.treeItem(/^harbour 17 files indexed/).waitFor();
      const start = page.getByRole('button', { name: 'Start Local Server' }).last();
      await start.waitFor();
      assert.equal(existsSync(state()), false);
      await start.click();
      await workbench.treeItem(/^Running in this window/).waitFor();
      await workbench.treeItem(/^Data a simulated organization/).waitFor();
      await workbench.shoot('server-untrusted');
    } finally {
      await workbench.close();
    }
  });
});
