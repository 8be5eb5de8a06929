import { spawn, type ChildProcess } from 'node:child_process';
import { isUtf8 } from 'node:buffer';
import { resolve } from 'node:path';
import { describeError, systemCode } from '../base/errors.ts';
import { systemProgram } from '../base/systemProgram.ts';
import type { AttemptOutcome, StoredEvent } from './event.ts';
import type { CommandExpert } from './schemas.ts';

/** The most bytes stored of what a command prints: the last ones. */
const MAX_OUTPUT = 4_000;
/** The time between the request to end and the end by force. */
const GRACE_MS = 2_000;
/** Variables of Sextant and of the editor, which are no concern of a command. */
const OWN_VARIABLES = /^(SEXTANT|VSCODE|ELECTRON)_/i;

/** What a command receives of an event. */
export interface CommandTask {
  readonly event: Pick<StoredEvent, 'id' | 'headers' | 'body' | 'method' | 'query'>;
  /** Its name; the id of a deleted one. */
  readonly webhook: string;
  readonly trigger: string;
}

/** Runs a command without a shell, with an event on its standard input. Throws only for a cancelled `signal`, once it has ended. */
export async function runCommand(
  task: CommandTask,
  expert: CommandExpert,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  signal.throwIfAborted();
  const [program = '', ...rest] = expert.argv;
  const isWindows = process.platform === 'win32';
  const output = new Tail();
  let problem: string | undefined;
  const child = spawn(/[\\/]/.test(program) ? resolve(expert.cwd, program) : program, rest, {
    cwd: expert.cwd,
    env: variablesOf(task, expert),
    // A group of its own, so that what it starts ends with it.
    detached: !isWindows,
    windowsHide: true,
  });
  const closed = new Promise<string | undefined>((done) => {
    child.once('error', (error) => done(`could not be started: ${describeError(error)}`));
    child.once('close', (code, by) =>
      done(code === 0 ? undefined : by === null ? `exit code ${code}` : `ended by ${by}`),
    );
  });
  child.stdout.on('data', (bytes: Buffer) => output.add(bytes));
  child.stderr.on('data', (bytes: Buffer) => output.add(bytes));
  // A command may end without reading its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(inputOf(task, expert));
  const kill = killer(child);
  const timer = setTimeout(() => {
    problem = `no end within ${expert.timeout_ms / 1000} s`;
    kill.begin();
  }, expert.timeout_ms);
  signal.addEventListener('abort', kill.begin);
  const failure = await closed;
  clearTimeout(timer);
  kill.end();
  signal.removeEventListener('abort', kill.begin);
  signal.throwIfAborted();
  const error = problem ?? failure;
  const answer = output.text();
  return {
    isDone: error === undefined,
    canRetry: true,
    ...(error !== undefined && { error }),
    ...(answer !== '' && { answer }),
  };
}

/** The last bytes of an output. */
class Tail {
  #bytes = Buffer.alloc(0);
  #isCut = false;

  add(bytes: Buffer): void {
    const all = Buffer.concat([this.#bytes, bytes]);
    this.#isCut ||= all.length > MAX_OUTPUT;
    this.#bytes = all.subarray(-MAX_OUTPUT);
  }

  text(): string {
    // A cut may leave the end of a character.
    return this.#isCut ? `…${this.#bytes.toString().replace(/^\ufffd{1,3}/, '')}` : this.#bytes.toString();
  }
}

/** Ends a process and what it started: by request, and after {@link GRACE_MS} by force. */
function killer(child: ChildProcess): { readonly begin: () => void; readonly end: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const force = (): void => {
    signalGroup(child, 'SIGKILL');
    // What left the group could hold them open for ever.
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  return {
    begin: () => {
      if (timer) return;
      signalGroup(child, 'SIGTERM');
      timer = setTimeout(force, GRACE_MS);
    },
    end: () => clearTimeout(timer),
  };
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    const args = ['/pid', String(pid), '/t', '/f'];
    // Without it at least the command itself ends.
    const endAlone = (code: unknown): unknown => code !== 0 && child.kill();
    spawn(systemProgram('taskkill.exe'), args, { windowsHide: true, stdio: 'ignore' })
      .once('error', endAlone)
      .once('exit', endAlone);
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // It has ended, or only what has ended or belongs to another user is left: nothing that a thrown error could mend.
    if (!['ESRCH', 'EPERM'].includes(systemCode(error) ?? '')) throw error;
  }
}

function variablesOf({ event, webhook, trigger }: CommandTask, { name, env }: CommandExpert): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([variable]) => !OWN_VARIABLES.test(variable));
  return {
    ...Object.fromEntries(inherited),
    ...env,
    SEXTANT_EVENT_ID: event.id,
    SEXTANT_WEBHOOK: webhook,
    SEXTANT_TRIGGER: trigger,
    SEXTANT_EXPERT: name,
    SEXTANT_METHOD: event.method ?? 'POST',
    SEXTANT_QUERY: event.query ?? '',
  };
}

function inputOf({ event, webhook, trigger }: CommandTask, { input }: CommandExpert): Buffer | string {
  const { id, headers, body, method = 'POST', query = '' } = event;
  if (input === 'body') return body;
  const text = isUtf8(body) ? { body: body.toString() } : { body_base64: body.toString('base64') };
  return JSON.stringify({ event_id: id, webhook, trigger, method, query, headers, ...text });
}
