import { SextantError } from '../base/errors.ts';
import { AdminClient } from '../server/adminClient.ts';
import { findAnswering } from '../server/launch.ts';
import { localServerErrors } from '../server/localServer.ts';
import { serverStateFolder } from '../server/state/defaultFolder.ts';
import { ExitCode, printable, type Terminal } from './terminal.ts';

/** What all commands have that ask the local server. */
export interface AdminOptions {
  readonly state?: string;
  readonly json?: true;
}

/** Does it with the server that runs on the state folder. Throws `NoServer`; what the server does not have is exit code 1. */
export async function withServer(
  { state }: AdminOptions,
  terminal: Terminal,
  work: (client: AdminClient) => Promise<ExitCode>,
): Promise<ExitCode> {
  const folder = serverStateFolder(state);
  const info = await findAnswering(folder);
  if (!info) throw localServerErrors.notRunning(folder);
  try {
    return await work(new AdminClient(info));
  } catch (error) {
    if (!(error instanceof SextantError && error.code === 'NotFound')) throw error;
    terminal.stderr.write(`sextant: ${printable(error.message)}\n`);
    return ExitCode.nothingFound;
  }
}

export function printJson(value: unknown, { stdout }: Terminal): void {
  stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Rows below each other, their cells as wide as the widest of their column; whatever is in them stays in its line. */
export function columns(rows: readonly (readonly string[])[]): string {
  const shown = rows.map((row) => row.map(printable));
  const widths = (shown[0] ?? []).map((_, column) => Math.max(...shown.map((row) => row[column]!.length)));
  return shown
    .map(
      (row) =>
        `${row
          .map((cell, i) => cell.padEnd(widths[i]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
