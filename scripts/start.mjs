// npm start [-- FOLDER] [--browser]
// Opens a real VS Code with Sextant and its search view in front: on a folder, or on the sample, trusted and with an
// example. It is the desktop one if `code` is on PATH, else the VS Code server in the
// browser, else (macOS and Windows) a desktop one that is downloaded. Installs what is missing first.
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ensureDependencies, pinnedNode, root } from './lib/dependencies.mjs';
import { openForPerson } from './lib/browser.mjs';
import {
  OFFLINE_SETTINGS,
  ensureEditor,
  ensureLogs,
  installFolder,
  installVsix,
  serverRunsHere,
  startServer,
  workbenchUrl,
  writeSettings,
} from './lib/editor.mjs';
import { build, packageVsix, sourcesHash } from './lib/package.mjs';
import { fail, say, sinceStart, step } from './lib/say.mjs';

const args = process.argv.slice(2);
const inBrowser = args.includes('--browser');
const [named, ...more] = args.filter((arg) => arg !== '--browser');
if (more.length > 0 || named?.startsWith('-')) fail('Usage: npm start [-- FOLDER] [--browser]');
// npm runs scripts in the package's folder; INIT_CWD is the person's.
const wanted = resolve(process.env.INIT_CWD ?? '.', named ?? join(root, 'test/fixtures/sample'));
const example = join(root, 'scripts/startExample');
if (!existsSync(wanted) || !statSync(wanted).isDirectory())
  fail(`There is no folder ${wanted}. Name one: npm start -- FOLDER`);
const folder = realpathSync(wanted);

await ensureDependencies();

const desktop = inBrowser ? undefined : desktopCode();
if (desktop !== undefined) {
  await step('Building', build);
  openDesktop(desktop);
} else if (serverRunsHere) await openInBrowser();
else {
  await step('Building', build);
  const { downloadAndUnzipVSCode, resolveCliPathFromVSCodeExecutablePath } = await import('@vscode/test-electron');
  const executable = await step('Downloading VS Code', () =>
    downloadAndUnzipVSCode({ cachePath: join(root, '.vscode-test') }).catch((/** @type {unknown} */ error) =>
      fail(
        `VS Code could not be downloaded (${String(error)}). Install it from https://code.visualstudio.com and its "code" command, then try again.`,
      ),
    ),
  );
  openDesktop(resolveCliPathFromVSCodeExecutablePath(executable));
}

function desktopCode() {
  try {
    execFileSync('code', ['--version'], { stdio: 'ignore', shell: process.platform === 'win32' });
    return 'code';
  } catch {
    return undefined;
  }
}

/** @param {string} code */
function openDesktop(code) {
  say(`Opening ${folder} in VS Code with the extension from this folder.`);
  const shell = process.platform === 'win32';
  const extensions = [root, example].map((one) => `--extensionDevelopmentPath=${one}`);
  const trust = named === undefined ? ['--disable-workspace-trust'] : [];
  spawn(code, ['--new-window', ...trust, ...extensions, folder], { stdio: 'inherit', shell });
}

async function openInBrowser() {
  const editor = await ensureEditor('newest');
  // Compiling them takes most of the time of a test of this script, in a new clone.
  if (process.env.SEXTANT_NO_LOGS === undefined) await ensureLogs(editor);
  // Settings and layout are kept between starts; tests have their own folder.
  const dataFolder = process.env.SEXTANT_START_STATE ?? join(root, '.vscode-test/start');
  mkdirSync(dataFolder, { recursive: true });
  if (!existsSync(join(dataFolder, 'data/data/User/settings.json'))) {
    writeSettings(dataFolder, {
      ...OFFLINE_SETTINGS,
      'workbench.secondarySideBar.defaultVisibility': 'hidden',
      // The search view has the focus.
      'workbench.startupEditor': 'none',
      // The sample is in the repository of this clone.
      'git.openRepositoryInParentFolders': 'never',
    });
  }
  const stamp = join(dataFolder, 'installed.txt');
  const sources = sourcesHash();
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== sources) {
    const vsix = join(dataFolder, 'sextant-code.vsix');
    // The editor lists the folders that it finds when it installs its first extension.
    installFolder(dataFolder, example);
    await step('Building and packing the extension', () => installVsix(editor, dataFolder, packageVsix(vsix)));
    writeFileSync(stamp, sources);
  }
  const token = randomBytes(16).toString('hex');
  // Its data is in this folder, too, apart from the person's own server.
  const env = { XDG_DATA_HOME: join(dataFolder, 'share') };
  const stopSample = startSampleServer(env);
  const server = await startServer(editor, { dataFolder, token, trust: named !== undefined, env });
  const url = workbenchUrl(server, { folder, token });
  say(`VS Code ${editor.vscode} is ready after ${sinceStart()} on ${folder}.`);
  say(openForPerson(url) ? `It opens in your browser. If not: ${url}` : `Open ${url}`);
  say(
    'Shift+Alt+S (Ctrl+Cmd+S on macOS) leads to the search from anywhere. A local server with a sample organization runs, too:',
  );
  say('"Sextant Usage: Try Usage and Cost with Sample Data" shows it. Ctrl-C here ends both.');
  const asked = new Promise((stop) => process.once('SIGINT', stop).once('SIGTERM', stop));
  const end = await Promise.race([asked.then(() => 'asked'), server.exited.then(() => 'by itself')]);
  await Promise.all([server.stop(), stopSample()]);
  if (end === 'by itself') fail(`The VS Code server ended by itself:\n${server.said().slice(-2000)}`);
}

/**
 * Starts the local server with a simulated organization, or uses one that runs on the same data already.
 * @param {NodeJS.ProcessEnv} env
 * @returns {() => Promise<unknown>} stops it
 */
function startSampleServer(env) {
  const command = join(root, 'dist/cli/sextant.js');
  if (!existsSync(command)) build();
  const child = spawn(pinnedNode(), [command, 'serve'], { env: { ...process.env, ...env }, stdio: 'ignore' });
  const exited = once(child, 'exit');
  return () => {
    child.kill('SIGTERM');
    return exited;
  };
}
