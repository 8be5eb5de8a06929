import { Readable } from 'node:stream';
import { describeError, systemCode } from '../../base/errors.ts';
import { formatDiagnostics, makeDiagnostics, type Diagnostics, type FolderFacts } from '../../workspace/diagnostics.ts';
import { DEFAULT_EXCLUDE, type FolderOptions } from '../../workspace/folderOptions.ts';
import { indexProblemOf } from '../../workspace/problems.ts';
import { LogFile } from './logFile.ts';
import { resolveFolder, stateFolderOf } from './stateFolder.ts';
import { describeIndexState, readStatus } from './status.ts';
import { ExitCode, type Terminal } from '../terminal.ts';
import { isFile, requireNewOutput, writeWhole, type OutputOptions } from '../writeWhole.ts';
import { folderOptions } from './updateIndex.ts';

export interface DoctorOptions extends OutputOptions {
  readonly json?: true;
  readonly state?: string;
}

export const DOCTOR_HELP = `
The report helps to find the cause of a problem. It has versions, platform, settings, the state and problems of the index,
and the last lines of the log. Home folder, user and host name, e-mail and network addresses, tokens and file names are
taken out. Nothing is sent: read the report, then share it if you like.

Examples:
  sextant doctor
  sextant doctor ~/projects/shop --output sextant-report.txt
  sextant doctor --json | jq .folders[].problems

Exit codes: 0 no problem was found, 1 there are problems, 2 failed or wrong usage.`;

const LOG_LINES = 100;

/** `sextant doctor [DIR]` */
export async function runDoctor(
  folder: string,
  version: string,
  options: DoctorOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  requireNewOutput(options);
  const root = resolveFolder(folder);
  const stateFolder = stateFolderOf(root, options.state);
  const { NO_COLOR, XDG_CACHE_HOME, NODE_OPTIONS } = process.env;
  const diagnostics = makeDiagnostics({
    versions: { sextant: version, surface: 'command' },
    settings: {
      exclude: `${DEFAULT_EXCLUDE.length} patterns, the defaults`,
      state: options.state === undefined ? 'in the cache folder' : 'by --state',
      ...(NO_COLOR !== undefined && { NO_COLOR }),
      ...(XDG_CACHE_HOME !== undefined && { XDG_CACHE_HOME: 'set' }),
      ...(NODE_OPTIONS !== undefined && { NODE_OPTIONS: 'set' }),
    },
    folders: [await factsOf(folderOptions(root, stateFolder), terminal.signal)],
    log: LogFile.read(stateFolder, LOG_LINES),
    now: new Date(),
  });
  const text = options.json ? `${JSON.stringify(diagnostics, null, 2)}\n` : formatDiagnostics(diagnostics);
  await writeWhole(Readable.from([text]), options, terminal);
  if (isFile(options.output)) terminal.stdout.write(`${options.output} was written: ${contentsOf(diagnostics)}\n`);
  if (!options.json) terminal.stderr.write('Read it before you share it. Nothing was sent.\n');
  const hasProblems = diagnostics.folders.some(({ problems }) => problems.length > 0);
  return hasProblems ? ExitCode.nothingFound : ExitCode.ok;
}

/** A folder that cannot be read is a finding, not a failure. */
async function factsOf(options: FolderOptions, signal: AbortSignal): Promise<FolderFacts> {
  try {
    const { report } = await readStatus(options, signal);
    // The index's own problems are read when the report is built.
    return { options, state: describeIndexState(report), skipped: report.skipped, problems: [] };
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return { options, state: 'cannot be read', skipped: {}, problems: [indexProblemOf(code, describeError(error))] };
  }
}

function contentsOf({ folders, log, redacted }: Diagnostics): string {
  const taken = Object.entries(redacted).map(([kind, count]) => `${count} × ${kind}`);
  const problems = folders.reduce((sum, folder) => sum + folder.problems.length, 0);
  const parts = [
    'versions',
    'platform',
    'settings',
    'the state of the index',
    `${problems} problems`,
    `${log.length} lines of log`,
  ];
  return `${parts.join(', ')}. Taken out of it: ${taken.join(', ') || 'nothing'}.`;
}
