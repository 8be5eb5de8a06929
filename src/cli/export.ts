import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { cancelled, SextantError } from '../base/errors.ts';
import { exportLines, findAnswering, loadData } from '../server/launch.ts';
import { serverStateFolder } from './serve.ts';
import { ExitCode, type Terminal } from './terminal.ts';

export interface ExportOptions {
  readonly state?: string;
  readonly data?: string;
  readonly output?: string;
}

/** `sextant export` */
export async function runExport({ state, data, output }: ExportOptions, terminal: Terminal): Promise<ExitCode> {
  try {
    await write(await exported(serverStateFolder(state), data, terminal.signal), output, terminal);
    return ExitCode.ok;
  } catch (error) {
    throw terminal.signal.aborted ? cancelled() : error;
  }
}

async function write(bytes: Readable, output: string | undefined, { stdout, signal }: Terminal): Promise<void> {
  if (output === undefined) {
    await pipeline(bytes, stdout, { signal, end: false });
    return;
  }
  // The file is whole or what it was before.
  const temporary = `${output}.tmp`;
  try {
    await pipeline(bytes, createWriteStream(temporary, { mode: 0o600 }), { signal });
    renameSync(temporary, output);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

async function exported(state: string, data: string | undefined, signal: AbortSignal): Promise<Readable> {
  const running = await findAnswering(state);
  if (!running)
    return Readable.from(
      inBlocks(exportLines(state, data === undefined ? undefined : await loadData(data, undefined, signal))),
    );
  const headers = { authorization: `Bearer ${running.adminToken}` };
  const response = await fetch(`${running.url}/__admin/export`, { headers, signal });
  if (!response.ok || !response.body)
    throw new SextantError('ExportFailed', `The server at ${running.url} answered ${response.status}. See its log.`);
  return Readable.fromWeb(response.body);
}

async function* inBlocks(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let block = '';
  for await (const line of lines) {
    block += `${line}\n`;
    if (block.length < 65_536) continue;
    yield block;
    block = '';
  }
  yield block;
}
