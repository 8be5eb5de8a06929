import { Readable } from 'node:stream';
import { systemClock } from '../../base/clock.ts';
import { AdminClient } from '../../server/admin/adminClient.ts';
import { readSimulation } from '../../server/analytics/simulation/options.ts';
import { Simulation } from '../../server/analytics/simulation/simulation.ts';
import { exportState, loadData } from '../../server/launch.ts';
import { findAnswering } from '../../server/runningServer.ts';
import { serverStateFolder } from '../../server/state/defaultFolder.ts';
import { ExitCode, logTo, type Terminal } from '../terminal.ts';
import { requireNewOutput, writeWhole, type OutputOptions } from '../writeWhole.ts';

export interface ExportCommandOptions extends OutputOptions {
  readonly state?: string;
  readonly data?: string;
  readonly seed?: number;
  readonly users?: number;
  readonly plan?: string;
}

/** `sextant export` */
export async function runExport(options: ExportCommandOptions, terminal: Terminal): Promise<ExitCode> {
  requireNewOutput(options);
  await writeWhole(await exported(options, terminal), options, terminal);
  return ExitCode.ok;
}

async function exported({ data, ...options }: ExportCommandOptions, { signal, stderr }: Terminal): Promise<Readable> {
  const state = serverStateFolder(options.state);
  const running = await findAnswering(state, signal);
  if (!running) {
    const facts =
      data === undefined
        ? new Simulation(readSimulation(options), systemClock)
        : await loadData(data, undefined, signal);
    return Readable.from(inBlocks(exportState(state, facts, logTo(stderr))));
  }
  return Readable.from(new AdminClient(running, signal).bytes('export'));
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
