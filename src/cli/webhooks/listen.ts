import { emitKeypressEvents, type Key } from 'node:readline';
import { abortable } from '../../base/abortable.ts';
import { describeError, isCancelled, SextantError } from '../../base/errors.ts';
import { sleep } from '../../base/sleep.ts';
import { AdminClient } from '../../server/admin/adminClient.ts';
import { findReachable, type ServerInfo } from '../../server/runningServer.ts';
import { serverStateFolder } from '../../server/state/defaultFolder.ts';
import type { EventDetailView, ForwardView, ResentView, RetryView } from '../../server/webhooks/views.ts';
import type { WebhookType } from '../../webhooks/names.ts';
import { TEMPLATES } from '../../webhooks/templates.ts';
import { withServer, type AdminOptions } from '../server/admin.ts';
import { runThreadedServe } from '../server/threadedServe.ts';
import { ExitCode, formatRows, hasScreen, printable, type Terminal } from '../terminal.ts';
import { editBody } from './again.ts';
import { headersOf } from './experts.ts';
import { EventFollower } from './eventFollower.ts';
import { newestEvent, tailEvents } from './eventTail.ts';
import { ListenScreen, MAX_EVENTS } from './listenScreen.ts';
import { jsonOption, secretOf } from './webhooks.ts';

export interface ListenOptions extends AdminOptions {
  readonly forward?: string;
  /** Name of a command, instead of a URL. */
  readonly run?: string;
  readonly from?: WebhookType;
  readonly name?: string;
  readonly secret?: string;
  /** JSON. */
  readonly signature?: string;
  /** `Name: value`, or `@FILE`. */
  readonly header?: readonly string[];
  /** The file of the machine's own commands, for a server that this command starts. */
  readonly commands?: string;
  /** Name of a forward to delete. */
  readonly undo?: string;
}

const POLL_MS = 200;
const ALTERNATE = { on: '\u001b[?1049h\u001b[?25l', off: '\u001b[?25h\u001b[?1049l' };

/** `sextant listen`: starts or attaches to the server, creates the forward, and shows its events until a key quits. */
export async function listen(options: ListenOptions, version: string, terminal: Terminal): Promise<ExitCode> {
  const { undo, forward: url, run, from, name, secret, signature } = options;
  if (undo !== undefined)
    return withServer(options, terminal, async (client) => {
      await client.ask('DELETE', AdminClient.path(['forwards', undo]));
      return ExitCode.ok;
    });
  if ((url === undefined) === (run === undefined))
    throw new SextantError(
      'InvalidOption',
      'Name the URL of your program, --forward http://localhost:3000/hooks, or a command, --run NAME.',
    );
  const server = await startOrAttach(options, version, terminal);
  try {
    const client = new AdminClient(server.info, terminal.signal);
    const headers = options.header && (await headersOf(options.header, terminal));
    const input = {
      url,
      run,
      from,
      name,
      secret: await secretOf(secret, terminal),
      signature: jsonOption(signature, '--signature'),
      headers,
    };
    const made = await client.ask<ForwardView>('POST', 'forwards', input);
    const { stdout, stdin } = terminal;
    // A program may send as soon as it reads the URL.
    const after = await newestEvent(client);
    stdout.write(options.json ? `${JSON.stringify(made)}\n` : describe(made));
    if (!hasScreen(stdout) || !stdin.isTTY || options.json)
      return await tailEvents({ ...options, webhook: made.name, after }, terminal);
    const isKept = await new Listener(server.info, made, after, terminal).run();
    if (isKept)
      stdout.write(`${printable(made.name)} is kept. Undo: sextant listen --undo ${JSON.stringify(made.name)}\n`);
    else stdout.write(`Webhook, trigger and expert ${printable(made.name)} are deleted; their events stay.\n`);
    return ExitCode.ok;
  } finally {
    await server.stop();
  }
}

interface Started {
  readonly info: ServerInfo;
  /** Stops the server, if this command started it. */
  readonly stop: () => Promise<unknown>;
}

async function startOrAttach(
  { state, commands }: ListenOptions,
  version: string,
  terminal: Terminal,
): Promise<Started> {
  const folder = serverStateFolder(state);
  const running = await findReachable(folder, terminal.signal);
  if (running && commands !== undefined)
    terminal.stderr.write(`sextant: --commands has no effect: process ${running.pid} serves with its own.\n`);
  if (running) return { info: running, stop: () => Promise.resolve() };
  const stopping = new AbortController();
  let onReady = (_: ServerInfo): void => undefined;
  const ready = new Promise<ServerInfo>((resolve) => (onReady = resolve));
  // With --json, the command writes one line once it is ready.
  const stdout = Object.assign(Object.create(terminal.stdout) as NodeJS.WriteStream, {
    write: (text: string) => (onReady(JSON.parse(text) as ServerInfo), true),
  });
  const isQuiet = (text: string): boolean => text.startsWith('sextant: The organization is simulated');
  const stderr = Object.assign(Object.create(terminal.stderr) as NodeJS.WriteStream, {
    write: (text: string) => isQuiet(text) || terminal.stderr.write(text),
  });
  const served = runThreadedServe(
    { rateLimit: true, json: true, ...(state !== undefined && { state }), ...(commands !== undefined && { commands }) },
    { ...terminal, stdout, stderr, signal: stopping.signal },
    version,
  );
  const failed = served.then(() => {
    throw new SextantError('NoServer', 'The server stopped before it was ready.');
  });
  const stop = async (): Promise<unknown> => {
    stopping.abort();
    return served.catch(
      (error: unknown) => isCancelled(error) || terminal.stderr.write(`sextant: ${printable(describeError(error))}\n`),
    );
  };
  try {
    return { info: await abortable(Promise.race([ready, failed]), terminal.signal), stop };
  } catch (error) {
    if (isCancelled(error)) await stop();
    throw error;
  }
}

function describe({ name, webhook, expert, secret, is_new: isNew }: ForwardView): string {
  const rows: [string, string][] = [['url', webhook.url]];
  if (secret !== undefined) rows.push(['secret', `${secret} (shown only once)`]);
  else if (webhook.type === 'anything') rows.push(['secret', 'none: programs of this machine may send anything']);
  else if (!isNew)
    rows.push(['secret', `shown when it was created; a new one: sextant webhooks rotate ${JSON.stringify(name)}`]);
  const what = expert.type === 'forward' ? `forwards to ${printable(expert.url)}` : `runs ${printable(expert.name)}`;
  return `${printable(name)} ${what}\n${formatRows(rows)}`;
}

/** The loop of keys and events. */
class Listener {
  readonly #client: AdminClient;
  readonly #made: ForwardView;
  readonly #terminal: Terminal;
  readonly #screen: ListenScreen;
  readonly #events: EventFollower;
  readonly #end = new AbortController();
  #isKept = true;
  /** Takes the keys while a question waits. */
  #question: { readonly text: string; typed: string; readonly done: (typed: string) => unknown } | undefined;
  /** Whether another program has the terminal. */
  #isAway = false;

  /** `newest` is the id of the newest event at the start. */
  constructor(info: ServerInfo, made: ForwardView, newest: string, terminal: Terminal) {
    [this.#made, this.#terminal] = [made, terminal];
    this.#client = new AdminClient(info, this.#end.signal);
    this.#events = new EventFollower(this.#client, made.webhook.webhook_id, newest, MAX_EVENTS);
    this.#screen = new ListenScreen(describe(made).trimEnd().split('\n'));
  }

  /** Resolves to whether the forward is kept. */
  async run(): Promise<boolean> {
    const { stdin, stdout, signal } = this.#terminal;
    const stop = (): void => this.#end.abort();
    const onKey = (text: string | undefined, key: Key): void => this.#onKey(text ?? '', key);
    const draw = (): void => this.#draw();
    signal.addEventListener('abort', stop);
    emitKeypressEvents(stdin);
    stdin.on('keypress', onKey);
    stdin.setRawMode(true);
    stdin.resume();
    stdout.on('resize', draw);
    stdout.write(ALTERNATE.on);
    try {
      this.#draw();
      await this.#poll();
    } finally {
      stdout.write(ALTERNATE.off);
      stdout.off('resize', draw);
      stdin.setRawMode(false);
      stdin.off('keypress', onKey);
      stdin.pause();
      signal.removeEventListener('abort', stop);
    }
    return this.#isKept;
  }

  /** Shows events as they arrive and as their runs go on, until the end. */
  async #poll(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      let isChanged = false;
      try {
        for await (const event of this.#events.changed()) {
          this.#screen.put(event);
          isChanged = true;
        }
      } catch (error) {
        this.#say(describeError(error));
      }
      if (isChanged) this.#draw();
      await sleep(POLL_MS, signal).catch(() => undefined);
    }
  }

  #onKey(text: string, { name, ctrl }: Key): void {
    if (this.#isAway) return;
    if (ctrl && (name === 'c' || name === 'd')) this.#end.abort();
    else if (this.#question) this.#type(text, name);
    else this.#command(name ?? text);
    this.#draw();
  }

  #type(text: string, name: string | undefined): void {
    const question = this.#question!;
    if (name === 'return' || name === 'enter' || name === 'escape') {
      this.#question = undefined;
      this.#screen.note = '';
      if (name !== 'escape') this.#work(() => question.done(question.typed));
    } else if (name === 'backspace') question.typed = question.typed.slice(0, -1);
    else if (text >= ' ') question.typed += text;
  }

  #command(name: string): void {
    const screen = this.#screen;
    const page = Math.max(1, (this.#terminal.stdout.rows || 24) - 8);
    const moves: Readonly<Record<string, number>> = { up: -1, k: -1, down: 1, j: 1, pageup: -page, pagedown: page };
    const by = moves[name];
    if (by !== undefined) screen.move(by);
    else if (['o', 'return', 'enter'].includes(name) || (screen.isOpen && ['q', 'escape'].includes(name)))
      screen.toggleOpen();
    else if (name === 'q') this.#end.abort();
    else if (name === 't') this.#work(() => this.#sendTest());
    else if (name === 'f') this.#ask('Filter (text, or JSONLogic; empty shows all): ', (typed) => screen.filter(typed));
    else if (name === 'u')
      this.#ask(`Delete webhook, trigger and expert ${this.#made.name}? y/n: `, (typed) => this.#undo(typed));
    else if (screen.chosen) this.#workOn(screen.chosen, name);
  }

  #workOn(event: EventDetailView, name: string): void {
    const client = this.#client;
    const { event_id: id } = event;
    if (name === 'r')
      this.#work(async () => {
        const again = await client.ask<{ event_id: string }>('POST', AdminClient.path(['events', id, 'replay']));
        return `${again.event_id} replays ${id}`;
      });
    else if (name === 'n')
      this.#work(async () => {
        const { retried, down } = await client.ask<RetryView>('POST', AdminClient.path(['events', id, 'retry']), {});
        return down ?? (retried === 0 ? `No run of ${id} failed or waits.` : `${id} is tried again.`);
      });
    else if (name === 'e')
      this.#work(async () => {
        const body = await this.#away(() => editBody(event));
        const sent = await client.ask<ResentView>('POST', AdminClient.path(['events', id, 'resend']), { body });
        return `${sent.event_id} was edited from ${id}`;
      });
  }

  async #sendTest(): Promise<string> {
    const { name, type } = this.#made.webhook;
    const fitting = Object.entries(TEMPLATES).find(([, { system }]) => system === type);
    const template = fitting?.[0] ?? 'github-pull-request';
    await this.#client.ask('POST', AdminClient.path(['webhooks', name, 'send']), { template });
    return `Sent ${template}.`;
  }

  async #undo(typed: string): Promise<string> {
    if (!/^y(es)?$/i.test(typed)) return 'Nothing was deleted.';
    await this.#client.ask('DELETE', AdminClient.path(['forwards', this.#made.name]));
    this.#isKept = false;
    this.#end.abort();
    return '';
  }

  /** Gives the terminal to another program. */
  async #away<T>(work: () => Promise<T>): Promise<T> {
    const { stdin, stdout } = this.#terminal;
    this.#isAway = true;
    stdin.setRawMode(false);
    stdout.write(ALTERNATE.off);
    try {
      return await work();
    } finally {
      stdout.write(ALTERNATE.on);
      stdin.setRawMode(true);
      this.#isAway = false;
    }
  }

  #ask(text: string, done: (typed: string) => unknown): void {
    this.#question = { text, typed: '', done };
  }

  /** Shows what an operation says, or why it failed. */
  #work(work: () => unknown): void {
    Promise.resolve()
      .then(work)
      .then(
        (said) => this.#say(typeof said === 'string' ? said : ''),
        (error: unknown) => !isCancelled(error) && this.#say(describeError(error)),
      );
  }

  #say(note: string): void {
    this.#screen.note = note;
    this.#draw();
  }

  #draw(): void {
    if (this.#isAway || this.#end.signal.aborted) return;
    const { stdout } = this.#terminal;
    if (this.#question) this.#screen.note = this.#question.text + this.#question.typed;
    const lines = this.#screen.lines(stdout.columns || 80, stdout.rows || 24);
    stdout.write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join('\r\n')}\u001b[J`);
  }
}
