import { SCOPES, messages, type TokenScope } from '../analytics/contract.ts';
import { AdjustableClock, systemClock, type Clock } from '../base/clock.ts';
import { dayOf, firstOfNextMonth, startOfDay } from '../base/day.ts';
import { describeError, isWriteError, SextantError } from '../base/errors.ts';
import { silentLogger, type Logger } from '../base/log.ts';
import { adminResources, behindAdminToken, type Administered } from './admin/adminPlane.ts';
import { checkMoment } from './admin/moment.ts';
import { readSnapshot, SNAPSHOT_VERSION, type SnapshotHeader } from './admin/snapshot.ts';
import { emptyDataSet } from './analytics/data/dataBuilder.ts';
import type { FactSource } from './analytics/factSource.ts';
import { Organization } from './analytics/organization.ts';
import { analyticsResources } from './analytics/service.ts';
import { Simulation } from './analytics/simulation/simulation.ts';
import { RateLimiter } from './auth/rateLimiter.ts';
import { secretsOf } from './auth/secrets.ts';
import { hashToken, newToken, Tokens } from './auth/tokens.ts';
import type { TokenRecord } from './state/records.ts';
import { contextResources } from './context/resources.ts';
import { ContextService, type ContextOptions } from './context/service.ts';
import { readFaultRule, type FaultRule } from './faults/faultRules.ts';
import { Faults } from './faults/faults.ts';
import { injectFaults } from './faults/inject.ts';
import { SCENARIOS } from './faults/scenarios.ts';
import { Certificate, type CertificateFiles } from './http/certificate.ts';
import { HttpEdge, type EdgeTimeouts } from './http/edge.ts';
import { WrittenJson } from './http/jsonWriter.ts';
import { httpErrors } from './http/errors.ts';
import type { Resource } from './http/exchange.ts';
import { checkHosts, HostCheck } from './http/hosts.ts';
import { AccessLog } from './http/accessLog.ts';
import { RequestLog } from './http/requestLog.ts';
import { repositoryResources } from './context/repositoryResources.ts';
import { memoryState } from './state/memoryState.ts';
import type { StateChange, SimulationOptions } from './state/records.ts';
import type { Address, ServerState } from './state/serverState.ts';
import { proofOf } from './state/published.ts';
import { LeaseWatch } from './state/leaseWatch.ts';
import { StateFolder } from './state/stateFolder.ts';
import { takePort } from './takePort.ts';
import { behindPersonsToken, WEBHOOKS_SCOPE } from './webhooks/access.ts';
import { webhookAdminResources } from './webhooks/adminResources.ts';
import { intakeResource } from './webhooks/intake.ts';
import { WebhookService, type WebhookDependencies, type WebhookOptions } from './webhooks/service.ts';

export interface ServerOptions {
  /** `127.0.0.1` where it is missing. */
  readonly host?: string | undefined;
  /** The one of the last start, or else a free one, where it is missing; 0 is any free one. */
  readonly port?: number | undefined;
  /** Makes the server speak HTTPS at `host`; at loopback it then has a second port, with HTTP. */
  readonly tls?: CertificateFiles | undefined;
  /** The folder of state; without it nothing outlives the server. */
  readonly state?: string | undefined;
  /** Loads the initial facts; called once the state folder is known to be free. */
  readonly data?: (() => Promise<FactSource>) | undefined;
  /** The organization where there is no `data`; without either it is empty. */
  readonly simulation?: SimulationOptions | undefined;
  /** The clock starts there, in milliseconds since 1970, and runs. */
  readonly now?: number | undefined;
  readonly token?: string | undefined;
  readonly adminToken?: string | undefined;
  /** Whether rate limits are kept; they are unless this says `false`. */
  readonly rateLimit?: boolean | undefined;
  /** Rules of faults to begin with, and after each reset. */
  readonly faults?: readonly FaultRule[] | undefined;
  /** The scenario to begin with: see `SCENARIOS`. */
  readonly scenario?: string | undefined;
  /** Names besides those of loopback that a request may name as its host. */
  readonly allowHosts?: readonly string[] | undefined;
  readonly version?: string | undefined;
  /** Tokens besides the one of the start, which `reset` and snapshots leave alone. */
  readonly tokens?: readonly TokenRecord[] | undefined;
  /** The file of an access log. */
  readonly accessLog?: string | undefined;
  readonly webhooks?: WebhookOptions | undefined;
  readonly context?: ContextOptions | undefined;
}

export interface ServerDependencies extends Pick<WebhookDependencies, 'dispatcher' | 'backoffBaseMs'> {
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly timeouts?: Partial<EdgeTimeouts>;
  /** Called once if another process takes over the state: from then on the server answers 503. */
  readonly onLost?: (error: SextantError) => void;
}

const DEFAULT_TOKEN = 'default';
/** Of the API's token: it is no person. */
const DEFAULT_SCOPES = SCOPES.filter((scope) => scope !== WEBHOOKS_SCOPE);
const OF_THE_START = `${DEFAULT_TOKEN} is the token that the server was started with`;
const LOOPBACK = '127.0.0.1';
const ANY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);
const BEFORE_MONTH_END_MS = 10 * 60_000;
/** Number of changes from which a log is written again, shorter, at the next start. */
const CONDENSE_FROM = 1000;

/** The embedded server: HTTP in front, the services behind it, one state below them. */
export class SextantServer implements Administered {
  readonly clock: AdjustableClock;
  readonly organization: Organization;
  readonly requestLog = new RequestLog();
  readonly faults = new Faults();
  #scenario: string | undefined;
  readonly webhooks: WebhookService;
  readonly context: ContextService;
  readonly token: string;
  readonly adminToken: string;
  readonly state: string | undefined;
  readonly #options: ServerOptions;
  readonly #state: ServerState;
  readonly #tokens = new Tokens();
  readonly #limiter: RateLimiter;
  readonly #logger: Logger;
  readonly #edge: HttpEdge;
  readonly #accessLog: AccessLog | undefined;
  readonly #certificate: Certificate | undefined;
  #url = '';
  #publicUrl = '';
  #contract: string | undefined;
  readonly #stopping = new AbortController();
  #closing: Promise<void> | undefined;
  #webhooksClosing: Promise<void> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Starts a server. Throws `StateBusy` where another process owns the state folder, `PortTaken` where the port is in use,
   * `StateNewer`, `StateDamaged`, `DiskFull`, `ReadOnly`, and `InvalidArgument` or `InvalidOption` where an option cannot be.
   */
  static async start(options: ServerOptions = {}, edges: ServerDependencies = {}): Promise<SextantServer> {
    const { logger = silentLogger } = edges;
    if (options.now !== undefined) checkMoment(options.now);
    secretsOf(options);
    checkHosts(options.allowHosts);
    // The system takes a text for the name of a pipe.
    const { port = 0 } = options;
    if (!Number.isInteger(port) || port < 0 || port > 65_535)
      throw new SextantError('InvalidOption', `${JSON.stringify(port)} is no port. Give a number from 0 to 65535.`);
    const state = options.state === undefined ? memoryState() : await StateFolder.open(options.state, logger);
    let opened: SextantServer | undefined;
    try {
      const server = new SextantServer(options, edges, state, await options.data?.());
      opened = server;
      for (const change of state.changes) await server.#replay(change);
      if (state.changes.length >= CONDENSE_FROM) await server.#condense();
      server.#disturb();
      await server.#listen();
      server.webhooks.start();
      server.#prepare();
      return server;
    } catch (error) {
      await opened?.webhooks.close();
      await state.close();
      throw error;
    }
  }

  private constructor(options: ServerOptions, edges: ServerDependencies, state: ServerState, data?: FactSource) {
    this.#options = options;
    this.#state = state;
    this.#logger = edges.logger ?? silentLogger;
    this.state = state.folder;
    ({ token: this.token, adminToken: this.adminToken } = secretsOf(options, state.address));
    this.clock = new AdjustableClock(edges.clock ?? systemClock);
    this.#limiter = new RateLimiter(this.clock);
    this.#begin();
    const { simulation } = options;
    const facts = data ?? (simulation ? new Simulation(simulation, this.clock) : emptyDataSet());
    this.organization = new Organization(facts, state, this.clock);
    const { dispatcher, backoffBaseMs } = edges;
    this.webhooks = new WebhookService(state.folder, options.webhooks ?? {}, {
      fence: state.fence,
      clock: this.clock,
      realClock: this.clock.source,
      logger: this.#logger,
      dispatcher,
      backoffBaseMs,
    });
    this.context = new ContextService(state.folder, options.context ?? {}, {
      clock: this.clock.source,
      logger: this.#logger,
    });
    if (options.tls) this.#certificate = new Certificate(options.tls, this.#logger);
    if (options.accessLog !== undefined) this.#accessLog = new AccessLog(options.accessLog, this.#logger);
    const watch = new LeaseWatch(state.fence);
    watch.onLost((error) => this.#onLost(error, edges.onLost));
    this.#edge = new HttpEdge({
      // The journal checks the lease between writing a delivery and its acknowledgement.
      unavailable: (method, path) => watch.check(method !== 'GET' && !path.startsWith('/webhooks/')),
      resources: this.#resources(),
      hosts: new HostCheck([
        ...(options.allowHosts ?? []),
        ...(options.host === undefined ? [] : [options.host]),
        ...(this.#certificate?.names ?? []),
      ]),
      requestLog: this.requestLog,
      onAnswered: this.#accessLog && ((entry) => this.#accessLog?.add(entry)),
      clock: this.clock,
      beforeAnswer: injectFaults(this.faults),
      logger: this.#logger,
      ...(edges.timeouts && { timeouts: edges.timeouts }),
    });
  }

  /** `http://127.0.0.1:41234`: the address for programs of this machine. */
  get url(): string {
    return this.#url;
  }

  /** The address for others, with TLS where there is a certificate. */
  get publicUrl(): string {
    return this.#publicUrl;
  }

  reset(): Promise<void> {
    return this.#inTurn(async () => {
      await this.organization.reset(() => this.#state.replace([]));
      this.#begin();
      this.#disturb();
      this.#limiter.clear();
      this.requestLog.clear();
    });
  }

  get scenario(): string | undefined {
    return this.#scenario;
  }

  /** Puts a scenario in force, instead of the one before. Throws `InvalidArgument`. */
  applyScenario(name: string): void {
    const scenario = Object.hasOwn(SCENARIOS, name) ? SCENARIOS[name] : undefined;
    if (!scenario) throw httpErrors.badRequest(messages.oneOf('scenario', Object.keys(SCENARIOS)));
    const today = dayOf(this.clock.now());
    this.clearScenario();
    if (scenario.flood && !this.organization.flood(today - 1))
      throw httpErrors.badRequest('only a simulated organization can have a flood of new people');
    for (const rule of scenario.rules ?? []) this.faults.add(rule, name);
    this.organization.creditsLagMs = scenario.creditsLagMs ?? 0;
    if (scenario.monthEnd) this.clock.set(startOfDay(firstOfNextMonth(today)) - BEFORE_MONTH_END_MS);
    this.#scenario = name;
  }

  /** The clock keeps its setting. */
  clearScenario(): void {
    this.faults.clear('scenarios');
    this.organization.creditsLagMs = 0;
    this.organization.flood(undefined);
    this.#scenario = undefined;
  }

  createToken(
    name: string | undefined,
    scopes: readonly TokenScope[],
  ): Promise<{ readonly name: string; readonly token: string }> {
    return this.#inTurn(async () => {
      if (name === DEFAULT_TOKEN) throw httpErrors.badRequest(`${OF_THE_START}; give another name`);
      let chosen = name;
      for (let i = 1; chosen === undefined; i++) if (!this.#tokens.has(`token-${i}`)) chosen = `token-${i}`;
      if (this.#tokens.has(chosen)) throw httpErrors.badRequest(`there is a token named ${chosen}; revoke it first`);
      const token = newToken('sxt');
      const change: StateChange = { type: 'token', name: chosen, hash: hashToken(token), scopes };
      await this.#state.append(change);
      this.#tokens.set(change);
      return { name: chosen, token };
    });
  }

  revokeToken(name: string): Promise<void> {
    return this.#inTurn(async () => {
      if (name === DEFAULT_TOKEN) throw httpErrors.badRequest(`${OF_THE_START}; start it with another`);
      if (this.#isGiven(name)) throw httpErrors.badRequest(`${name} is in the file of tokens; remove it there`);
      if (!this.#tokens.has(name)) throw httpErrors.notFound(`token ${name}`);
      await this.#state.append({ type: 'revoke', name });
      this.#tokens.delete(name);
    });
  }

  /** All state, for {@link restore}: the line that `SnapshotHeader` describes, and then the facts. */
  *snapshot(): Generator<string> {
    const { simulation } = this.organization;
    const header: SnapshotHeader = {
      kind: 'snapshot',
      version: SNAPSHOT_VERSION,
      clock: { now: this.clock.now(), frozen: this.clock.isFrozen },
      simulation: simulation ?? null,
      scenario: this.#scenario ?? null,
      faults: [...this.faults.list()],
      // The one of the start belongs to the server.
      tokens: this.#tokens
        .list()
        .filter(({ name }) => name !== DEFAULT_TOKEN && !this.#isGiven(name))
        .map(({ name, hash, scopes }) => ({ name, hash, scopes: [...scopes] })),
    };
    const facts = simulation ? this.organization.overrideLines() : this.organization.lines();
    yield JSON.stringify(header);
    yield* facts;
  }

  /** Puts back what {@link snapshot} gave. All of it or nothing. Throws `InvalidArgument` and `BadData`. */
  async restore(bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const { header, rest } = await readSnapshot(bytes);
    const tokens = header.tokens.filter(({ name }) => name !== DEFAULT_TOKEN);
    const changes = tokens.map((token) => ({ type: 'token', ...token }) as const);
    await this.#inTurn(async () => {
      await this.organization.restore(header.simulation ?? undefined, rest, changes);
      this.#begin();
      for (const token of tokens) this.#tokens.set(token);
      if (header.clock.frozen) this.clock.freeze(header.clock.now);
      else this.clock.set(header.clock.now);
      const name = header.scenario ?? '';
      this.#scenario = Object.hasOwn(SCENARIOS, name) ? name : undefined;
      this.organization.creditsLagMs = SCENARIOS[name]?.creditsLagMs ?? 0;
      this.faults.restore(header.faults);
      this.#limiter.clear();
    });
  }

  /** Finishes what is in flight. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#stopping.abort();
    // Their responses would hold up the edge.
    this.webhooks.windows.close();
    await this.#edge.close();
    await this.#closeWebhooks();
    await this.context.close();
    await this.#accessLog?.close();
    await this.#state.close();
  }

  /** Stops writing; from now on the edge answers 503. */
  #onLost(error: SextantError, report: ServerDependencies['onLost']): void {
    this.#logger.error(`${error.message} Until it is stopped, this server answers 503 to everything but /healthz.`);
    this.#closeWebhooks().catch((failure: unknown) =>
      this.#logger.error(`The runs of webhooks could not be stopped: ${describeError(failure)}`),
    );
    report?.(error);
  }

  #health(query: string): Readonly<Record<string, unknown>> {
    const status = this.#state.fence?.lost.aborted ? 'lost' : 'ok';
    const challenge = /^challenge=([0-9a-f]{32})$/.exec(query)?.[1];
    const proof =
      challenge === undefined ? undefined : proofOf(this.#state.cursorKey, this.#url, challenge).toString('hex');
    return { status, service: 'sextant', pid: process.pid, ...(proof !== undefined && { proof }) };
  }

  #closeWebhooks(): Promise<void> {
    return (this.#webhooksClosing ??= this.webhooks.close());
  }

  /** Not awaited: earlier requests wait for what is missing. */
  #prepare(): void {
    this.organization
      .prepare(this.#stopping.signal)
      .catch((error: unknown) => this.#logger.error(`The organization could not be made: ${describeError(error)}`));
  }

  /** Restores the initial tokens and clock; runs at start and after each reset. */
  #begin(): void {
    this.#tokens.clear();
    this.#tokens.set({ name: DEFAULT_TOKEN, hash: hashToken(this.token), scopes: DEFAULT_SCOPES });
    for (const token of this.#options.tokens ?? []) this.#tokens.set(token);
    this.clock.run();
    this.clock.set(this.#options.now ?? this.clock.source.now());
  }

  #isGiven(name: string): boolean {
    return this.#options.tokens?.some((token) => token.name === name) === true;
  }

  /** Restores the initial faults and scenario. */
  #disturb(): void {
    this.clearScenario();
    this.faults.clear();
    for (const rule of this.#options.faults ?? []) this.faults.add(readFaultRule(rule));
    if (this.#options.scenario !== undefined) this.applyScenario(this.#options.scenario);
  }

  /** Runs changes of tokens one after another: memory follows the order of the log. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #replay(change: StateChange): Promise<void> {
    if (change.type !== 'token' && change.type !== 'revoke') await this.organization.replay(change, this.#logger);
    // Older versions recorded changes of the default token.
    else if (change.name === DEFAULT_TOKEN) return;
    else if (change.type === 'token') this.#tokens.set(change);
    else this.#tokens.delete(change.name);
  }

  async #condense(): Promise<void> {
    const { changes } = this.#state;
    const tokens = changes.filter(({ type }) => type === 'token' || type === 'revoke');
    try {
      await this.#state.replace([...this.organization.condensed(changes), ...tokens]);
    } catch (error) {
      // The log stays long until a start finds room.
      if (!isWriteError(error)) throw error;
    }
  }

  #resources(): Resource[] {
    const admission = {
      tokens: this.#tokens,
      limiter: this.#options.rateLimit === false ? undefined : this.#limiter,
    };
    const admin = behindAdminToken(this.adminToken);
    return [
      ...analyticsResources(this.organization, admission),
      intakeResource(this.webhooks),
      ...contextResources(this.context, this.#tokens),
      ...repositoryResources(() => this.context.repositories(), this.#tokens, admission.limiter),
      ...adminResources(this, admin),
      ...webhookAdminResources(
        this.webhooks,
        { admin, person: behindPersonsToken(this.adminToken, this.#tokens) },
        () => this.#publicUrl,
      ),
      {
        path: '/healthz',
        isLogged: true,
        methods: { GET: { handle: ({ query }) => ({ json: this.#health(query) }) } },
      },
      {
        path: '/openapi.json',
        isLogged: true,
        methods: {
          GET: {
            handle: async () => new WrittenJson(await this.#contractText()),
          },
        },
      },
    ];
  }

  /** The same text for all: it needs no token, and to write it takes more time and memory than to ask for it. */
  async #contractText(): Promise<string> {
    const { openApiDocument } = await import('../analytics/openapi.ts');
    return (this.#contract ??= JSON.stringify(openApiDocument(this.#publicUrl, this.#options.version ?? '0')));
  }

  async #listen(): Promise<void> {
    const host = this.#options.host ?? LOOPBACK;
    const ports = { wanted: this.#options.port, last: this.#state.address?.port };
    const port = await takePort(this.#edge, host, ports, this.#certificate, this.#logger);
    const isAny = ANY_ADDRESS.has(host);
    const [named = host] = isAny ? (this.#certificate?.names ?? []) : [];
    const shown = named.includes(':') ? `[${named}]` : named;
    this.#publicUrl = `${this.#certificate ? 'https' : 'http'}://${shown}:${port}`;
    // Commands of this machine find the server without a name that the certificate has.
    this.#url = this.#certificate ? `http://${LOOPBACK}:${await this.#edge.listen(LOOPBACK, 0)}` : this.#publicUrl;
    this.#state.publish(this.#url, { port, token: this.token, adminToken: this.adminToken } satisfies Address);
  }
}
