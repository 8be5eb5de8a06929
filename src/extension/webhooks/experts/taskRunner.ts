import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { removeSync } from '../../../base/removal.ts';
import type { EditorResult, EditorRun } from '../../../webhooks/editorWindows.ts';

/** A command that returns the file with the event, for tasks: `${command:sextant.webhookEventFile}`. */
const FILE_COMMAND = 'sextant.webhookEventFile';
/** Pause before the end of a task is requested again: the editor ignores the request while the task has no terminal yet. */
const END_AGAIN_MS = 250;
/** Requests after which a task that has not started is given up. */
const MAX_REQUESTS = 20;

/** Starts tasks of the workspace for events, one after another, since a task asks for its event by a command. */
export class TaskRunner implements vscode.Disposable {
  readonly #folder: string;
  readonly #command: vscode.Disposable;
  /** Tasks that did not start. The editor lists them as running, also when their input is dismissed. */
  readonly #givenUp = new WeakSet<vscode.TaskExecution>();
  #last: Promise<unknown> = Promise.resolve();
  #file: string | undefined;

  /** Files of events are in `folder` while their task runs. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#command = vscode.commands.registerCommand(FILE_COMMAND, () => {
      if (this.#file !== undefined) return this.#file;
      throw new Error(vscode.l10n.t('There is a webhook event only while a trigger runs the task.'));
    });
  }

  /** Removes the event's file of a task under way, which the end of the window would leave. */
  dispose(): void {
    this.#command.dispose();
    if (this.#file !== undefined) removeSync(this.#file);
  }

  /** Runs a task to its end, and calls `begin` after those before it. Its exit code is the result. */
  run(
    name: string,
    folder: vscode.WorkspaceFolder,
    run: EditorRun,
    signal: AbortSignal,
    begin: () => void,
  ): Promise<EditorResult> {
    const turn = this.#last.then(() => {
      signal.throwIfAborted();
      begin();
      return this.#run(name, folder, run, signal);
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #run(name: string, folder: vscode.WorkspaceFolder, run: EditorRun, signal: AbortSignal): Promise<EditorResult> {
    const task = (await vscode.tasks.fetchTasks()).find((one) => isNamed(one, name) && isOf(one, folder));
    // The list may take seconds, and a run that was given up meanwhile starts nothing.
    signal.throwIfAborted();
    if (!task) return failed(vscode.l10n.t('{0} has no task {1}', folder.name, name));
    const active = vscode.tasks.taskExecutions.filter((one) => isNamed(one.task, name) && isOf(one.task, folder));
    if (active.some((one) => !this.#givenUp.has(one)))
      return failed(vscode.l10n.t('the task {0} is running already', name));
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const file = join(this.#folder, `${run.id}.json`);
    const { id: _, ...event } = run;
    writeFileSync(file, JSON.stringify(event), { mode: 0o600, flag: 'wx' });
    this.#file = file;
    try {
      const code = await exitCodeOf(task, signal, this.#givenUp);
      if (code === 0) return { ok: true, answer: vscode.l10n.t('The task {0} ended.', name), retry: true };
      return failed(code === undefined ? vscode.l10n.t('the task was ended') : vscode.l10n.t('exit code {0}', code));
    } finally {
      this.#file = undefined;
      removeSync(file);
    }
  }
}

function failed(error: string): EditorResult {
  return { ok: false, error, retry: true };
}

/** By its label, or as the list of tasks shows it: `npm: test`. */
function isNamed({ name, source }: vscode.Task, wanted: string): boolean {
  return name === wanted || `${source}: ${name}` === wanted;
}

function isOf({ scope }: vscode.Task, folder: vscode.WorkspaceFolder): boolean {
  return typeof scope === 'object' && scope.uri.toString() === folder.uri.toString();
}

/**
 * Starts a task; resolves to its exit code, 0 for one without a process, `undefined` if it was ended. A task that has not
 * started some seconds after `signal` aborts is given up, and added to `givenUp`: it may wait for an input without end. If it
 * starts later, it is ended.
 */
async function exitCodeOf(
  task: vscode.Task,
  signal: AbortSignal,
  givenUp: WeakSet<vscode.TaskExecution>,
): Promise<number | undefined> {
  const started = new Set<vscode.TaskExecution>();
  const withProcess = new Set<vscode.TaskExecution>();
  const ended = new Map<vscode.TaskExecution, number | undefined>();
  let check: () => void = () => undefined;
  const setEnded = (execution: vscode.TaskExecution, code: number | undefined): void => {
    if (!ended.has(execution)) ended.set(execution, code);
    check();
  };
  const listeners = vscode.Disposable.from(
    vscode.tasks.onDidStartTask(({ execution }) => {
      started.add(execution);
      check();
    }),
    vscode.tasks.onDidStartTaskProcess(({ execution }) => withProcess.add(execution)),
    vscode.tasks.onDidEndTaskProcess(({ execution, exitCode }) => setEnded(execution, exitCode)),
    vscode.tasks.onDidEndTask(({ execution }) => {
      // Comes after the end of its process, and alone if there was none.
      const isCustom = task.execution instanceof vscode.CustomExecution;
      setEnded(execution, withProcess.has(execution) || !isCustom ? undefined : 0);
    }),
  );
  let execution: vscode.TaskExecution;
  try {
    execution = await vscode.tasks.executeTask(task);
  } catch (error) {
    listeners.dispose();
    throw error;
  }
  return new Promise((resolve) => {
    let again: NodeJS.Timeout | undefined;
    let requests = 0;
    const end = (): void => {
      execution.terminate();
      again = undefined;
      if (started.has(execution) || ++requests < MAX_REQUESTS) {
        again = setTimeout(end, END_AGAIN_MS);
      } else {
        givenUp.add(execution);
        resolve(undefined);
      }
    };
    check = () => {
      if (ended.has(execution)) {
        clearTimeout(again);
        signal.removeEventListener('abort', end);
        listeners.dispose();
        resolve(ended.get(execution));
      } else if (signal.aborted && again === undefined && started.has(execution)) {
        end();
      }
    };
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    check();
  });
}
