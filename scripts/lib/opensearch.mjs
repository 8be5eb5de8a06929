// OpenSearch for tests and benchmarks: the smallest distribution that Maven Central has, its nodes as processes of their own.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './dependencies.mjs';
import { freePort } from './editor.mjs';
import { runToEnd } from './processes.mjs';
import { step } from './say.mjs';

/** The newest line that runs on Java 17 and 21. */
const VERSION = '2.19.3';
const ARTIFACT = `org.opensearch.distribution.integ-test-zip:opensearch:${VERSION}:zip`;
const UNPACK = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:unpack';
/** A user without rights on Debian, Ubuntu and most others: OpenSearch refuses to run as root. */
const UNPRIVILEGED = 65_534;
const START_MS = 180_000;

/** What this machine lacks to run OpenSearch, as words for a message; `undefined` if it lacks nothing. */
export function missingForOpenSearch() {
  if (process.platform === 'win32') return 'a shell';
  if (spawnSync('java', ['-version']).status !== 0) return 'Java';
  const isThere = existsSync(distribution());
  return isThere || spawnSync('mvn', ['-version']).status === 0 ? undefined : 'Maven';
}

/** Installs OpenSearch under .vscode-test/ unless it is installed; Maven compares the checksum. */
export async function ensureOpenSearch() {
  const folder = distribution();
  if (existsSync(folder)) return folder;
  await step(`Getting OpenSearch ${VERSION} with Maven`, async () => {
    const parent = dirname(folder);
    mkdirSync(parent, { recursive: true });
    const made = mkdtempSync(join(parent, 'opensearch-'));
    try {
      const args = ['-q', '-B', UNPACK, `-Dartifact=${ARTIFACT}`, `-DoutputDirectory=${made}`];
      await runToEnd(spawn('mvn', args, { cwd: made, stdio: ['ignore', 'inherit', 'inherit'] }));
      renameSync(join(made, `opensearch-${VERSION}`), folder);
    } finally {
      rmSync(made, { recursive: true, force: true });
    }
  });
  return folder;
}

/**
 * @typedef {object} ClusterOptions
 * @property {number} [nodes]
 * @property {number} [heapMb] of each node
 * @property {string | undefined} [folder] for all files, which remain for a later cluster; a temporary one by default
 * @property {Record<string, string | number | boolean>} [settings] added to each node's
 */

/** Starts a cluster on loopback, and waits until all its nodes have met. @param {ClusterOptions} [options] */
export async function startCluster({ nodes: count = 1, heapMb = 512, folder: kept, settings = {} } = {}) {
  const installed = await ensureOpenSearch();
  if (kept !== undefined) mkdirSync(kept, { recursive: true });
  const folder = realpathSync(kept ?? mkdtempSync(join(tmpdir(), 'sextant-opensearch-')));
  // A copy: a user without rights can seldom read the folder of a checkout.
  const home = join(folder, 'home');
  if (!existsSync(home)) cpSync(realpathSync(installed), home, { recursive: true });
  const ports = /** @type {number[]} */ ([]);
  for (let i = 0; i < 2 * count; i++) ports.push(await freePort());
  const transports = ports.slice(count);
  const nodes = Array.from({ length: count }, (_, i) => {
    const name = `node${i + 1}`;
    const own = {
      'cluster.name': 'sextant-test',
      'node.name': name,
      'network.host': '127.0.0.1',
      'http.port': ports[i],
      'transport.port': transports[i],
      'path.data': join(folder, name, 'data'),
      'path.logs': join(folder, name, 'logs'),
      'discovery.seed_hosts': transports.map((port) => `127.0.0.1:${port}`).join(','),
      'cluster.initial_cluster_manager_nodes': transports.map((_, other) => `node${other + 1}`).join(','),
      // A small disk of a test machine is no reason to refuse shards.
      'cluster.routing.allocation.disk.threshold_enabled': false,
      ...settings,
    };
    const config = join(folder, name, 'config');
    mkdirSync(config, { recursive: true });
    cpSync(join(home, 'config'), config, { recursive: true });
    const lines = Object.entries(own).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
    writeFileSync(join(config, 'opensearch.yml'), lines.join(''));
    return new Node(home, join(folder, name), ports[i] ?? 0, heapMb);
  });
  giveAway(folder);
  const cluster = new Cluster(folder, nodes, kept !== undefined);
  try {
    await cluster.start();
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

/** Nodes that find each other. */
class Cluster {
  #reap = () => this.nodes.forEach((node) => node.signal('SIGKILL'));

  /**
   * @param {string} folder
   * @param {Node[]} nodes
   * @param {boolean} isKept whether the folder remains at the end
   */
  constructor(folder, nodes, isKept) {
    this.folder = folder;
    this.isKept = isKept;
    this.nodes = nodes;
    process.once('exit', this.#reap);
  }

  get urls() {
    return this.nodes.map(({ url }) => url);
  }

  /** Starts the nodes that do not run, and waits for them. */
  async start() {
    for (const node of this.nodes) node.start();
    await this.settled();
  }

  /** Waits until all running nodes have met, and all shards that can be are in place. @param {'green' | 'yellow'} [status] */
  async settled(status = 'green') {
    const running = this.nodes.filter((node) => node.isRunning);
    const until = performance.now() + START_MS;
    for (;;) {
      const states = await Promise.all(running.map((node) => node.health()));
      const isGood = states.every(
        (one) => one?.number_of_nodes === running.length && [status, 'green'].includes(one.status),
      );
      if (isGood) return;
      const ended = running.find((node) => !node.isRunning);
      if (ended || performance.now() > until)
        throw new Error(`The cluster did not start: ${JSON.stringify(states)}\n${(ended ?? running[0])?.log()}`);
      await sleep(250);
    }
  }

  /** Ends all nodes, and removes their data unless it is kept. */
  async stop() {
    this.#reap();
    await Promise.all(this.nodes.map((node) => node.ended));
    process.off('exit', this.#reap);
    if (!this.isKept) rmSync(this.folder, { recursive: true, force: true });
  }
}

/** One process of OpenSearch. */
class Node {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child;
  #output = '';
  ended = Promise.resolve();

  /**
   * @param {string} home
   * @param {string} folder
   * @param {number} port
   * @param {number} heapMb
   */
  constructor(home, folder, port, heapMb) {
    this.home = home;
    this.folder = folder;
    this.heapMb = heapMb;
    this.url = `http://127.0.0.1:${port}`;
  }

  get isRunning() {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  start() {
    if (this.isRunning) return;
    this.#output = join(this.folder, 'output.txt');
    const output = openSync(this.#output, 'a');
    const { heapMb } = this;
    const child = spawn('bash', [join(this.home, 'bin/opensearch')], {
      cwd: this.folder,
      stdio: ['ignore', output, output],
      env: {
        ...process.env,
        JAVA_HOME: javaHome(),
        OPENSEARCH_PATH_CONF: join(this.folder, 'config'),
        // Few compiler threads and the serial collector: several nodes share a small machine.
        OPENSEARCH_JAVA_OPTS: `-Xms${heapMb}m -Xmx${heapMb}m -XX:-UseG1GC -XX:+UseSerialGC -XX:TieredStopAtLevel=1`,
      },
      ...(process.getuid?.() === 0 && { uid: UNPRIVILEGED, gid: UNPRIVILEGED }),
    });
    closeSync(output);
    this.#child = child;
    this.ended = new Promise((done) => child.once('exit', () => done()));
  }

  /** @param {NodeJS.Signals} signal */
  signal(signal) {
    this.#child?.kill(signal);
  }

  /** @returns {Promise<{ number_of_nodes: number, status: string } | undefined>} */
  async health() {
    try {
      const answer = await fetch(`${this.url}/_cluster/health`, { signal: AbortSignal.timeout(5_000) });
      return answer.ok ? /** @type {any} */ (await answer.json()) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Memory of the process; 0 where the system has no /proc. */
  residentMb() {
    const file = `/proc/${this.#child?.pid}/status`;
    const kb = existsSync(file) ? /^VmRSS:\s+(\d+)/m.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
    return Number(kb ?? 0) / 1000;
  }

  log() {
    return existsSync(this.#output) ? readFileSync(this.#output, 'utf8').slice(-4_000) : '';
  }
}

function distribution() {
  return join(root, '.vscode-test', `opensearch-${VERSION}`);
}

/** The script requires this variable, which most machines do not set. */
function javaHome() {
  if (process.env.JAVA_HOME) return process.env.JAVA_HOME;
  const java = execFileSync('sh', ['-c', 'command -v java'], { encoding: 'utf8' }).trim();
  return dirname(dirname(realpathSync(java)));
}

/** Gives all files to the user that runs OpenSearch, if root may not. @param {string} path */
function giveAway(path) {
  if (process.getuid?.() !== 0) return;
  chownSync(path, UNPRIVILEGED, UNPRIVILEGED);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) giveAway(inner);
    else chownSync(inner, UNPRIVILEGED, UNPRIVILEGED);
  }
}
