// Servers that people use to mock an API, for npm run bench:server. They are installed into out/ at the first use.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pinnedNode, root } from './dependencies.mjs';
import { freePort } from './editor.mjs';
import { say, step } from './say.mjs';

const [PRISM, JSON_SERVER, WIREMOCK] = ['5.16.0', '0.17.4', '3.9.2'];
const START_MS = 60_000;
const home = join(root, 'out/serverPeers');

/**
 * @typedef {object} PeerData
 * @property {string} folder
 * @property {string} openapi our OpenAPI document
 * @property {{ date: string }[]} days what our server answered for all days
 * @property {{ user_email: string }[]} users what our server answered for all people
 * @property {{ path: string, body: string }[]} answers an answer of ours for each path
 */
/** @typedef {{ name: string, url: string, pid: number }} Peer */

/**
 * Starts each peer that this machine can run, one after the other.
 * @param {PeerData} data
 * @param {(peer: Peer) => Promise<void>} measure
 */
export async function withServerPeers(data, measure) {
  await ensurePackages();
  const modules = join(home, 'node_modules');
  const openapi = join(data.folder, 'openapi.json');
  writeFileSync(openapi, data.openapi);
  await withPeer('Prism', measure, (port) => [
    pinnedNode(),
    join(modules, '@stoplight/prism-cli/dist/index.js'),
    ...['mock', openapi, '--host', '127.0.0.1', '--port', `${port}`, '--verboseLevel', 'silent'],
  ]);

  const [rows, routes] = [join(data.folder, 'rows.json'), join(data.folder, 'routes.json')];
  writeFileSync(rows, JSON.stringify({ 'dau-count': data.days, 'user-activity': data.users }));
  writeFileSync(routes, JSON.stringify({ '/analytics/v0/*': '/$1' }));
  await withPeer('json-server', measure, (port) => [
    pinnedNode(),
    join(modules, 'json-server/lib/cli/bin.js'),
    ...[rows, '--quiet', '--host', '127.0.0.1', '--port', `${port}`, '--routes', routes],
  ]);

  const jar = wireMock();
  if (jar === undefined) return;
  const mappings = join(data.folder, 'mappings');
  mkdirSync(mappings, { recursive: true });
  data.answers.forEach(({ path, body }, i) => {
    const response = { status: 200, body, headers: { 'Content-Type': 'application/json' } };
    const mapping = { request: { method: 'GET', urlPath: path }, response };
    writeFileSync(join(mappings, `${i}.json`), JSON.stringify(mapping));
  });
  await withPeer('WireMock', measure, (port) => [
    ...['java', '-jar', jar, '--root-dir', data.folder, '--bind-address', '127.0.0.1', '--port', `${port}`],
    ...['--no-request-journal', '--disable-banner', '--use-chunked-encoding', 'never'],
  ]);
}

async function ensurePackages() {
  const wanted = [`@stoplight/prism-cli@${PRISM}`, `json-server@${JSON_SERVER}`];
  if (existsSync(join(home, 'node_modules/json-server'))) return;
  mkdirSync(home, { recursive: true });
  await step(`Getting ${wanted.join(' and ')}`, () => {
    const args = ['install', '--prefix', home, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', ...wanted];
    execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' });
  });
}

/** The archive of WireMock; `undefined` on a machine without Java or Maven. */
function wireMock() {
  const file = join(home, `wiremock-standalone-${WIREMOCK}.jar`);
  const isThere = existsSync(file);
  const lacking = (isThere ? ['java'] : ['java', 'mvn']).find((one) => spawnSync(one, ['-version']).status !== 0);
  if (lacking !== undefined) {
    say(`WireMock is left out: there is no ${lacking}`);
    return undefined;
  }
  const artifact = `-Dartifact=org.wiremock:wiremock-standalone:${WIREMOCK}:jar`;
  const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy';
  if (!isThere) execFileSync('mvn', ['-q', '-B', copy, artifact, `-DoutputDirectory=${home}`], { stdio: 'inherit' });
  return file;
}

/**
 * @param {string} name
 * @param {(peer: Peer) => Promise<void>} measure
 * @param {(port: number) => string[]} commandOf
 */
async function withPeer(name, measure, commandOf) {
  const port = await freePort();
  const [command = '', ...args] = commandOf(port);
  const child = spawn(command, args, { cwd: home, stdio: ['ignore', 'ignore', 'inherit'] });
  const url = `http://127.0.0.1:${port}`;
  try {
    const end = performance.now() + START_MS;
    while (!(await isAnswering(`${url}/analytics/v0/dau-count`))) {
      if (child.exitCode !== null || performance.now() > end) throw new Error(`${name} did not start.`);
      await sleep(100);
    }
    await measure({ name, url, pid: /** @type {number} */ (child.pid) });
  } finally {
    child.kill();
  }
}

/** @param {string} url */
async function isAnswering(url) {
  try {
    await fetch(url);
    return true;
  } catch {
    return false;
  }
}
