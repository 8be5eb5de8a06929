import { open, type FileHandle } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { SextantError } from '../../base/errors.ts';
import { formatCount } from '../../base/format.ts';
import { exportIndex, importIndex } from '../../workspace/indexArchive.ts';
import { whyNotUpdated } from './search.ts';
import { resolveFolder, stateFolderOf } from './stateFolder.ts';
import { ExitCode, noFile, printable, type Terminal } from '../terminal.ts';
import { folderOptions } from './updateIndex.ts';
import { isFile, requireNewOutput, writeWhole, type OutputOptions } from '../writeWhole.ts';

export interface IndexArchiveOptions extends OutputOptions {
  readonly state?: string;
}

/** `sextant context export [DIR]` */
export async function runContextExport(
  folder: string,
  { state, ...to }: IndexArchiveOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  if (!isFile(to.output) && terminal.stdout.isTTY)
    throw new SextantError(
      'InvalidOption',
      'An index is binary and would garble the terminal. Name a file with --output, or redirect the output.',
    );
  requireNewOutput(to);
  const root = resolveFolder(folder);
  const stateFolder = stateFolderOf(root, state);
  const why = await whyNotUpdated(folderOptions(root, stateFolder), terminal);
  if (why !== undefined) terminal.stderr.write(`sextant: ${why} Exporting the index as it is.\n`);
  const bytes = new PassThrough();
  const written = writeWhole(bytes, to, terminal);
  const exported = exportIndex(stateFolder, bytes, terminal.signal).then(
    ({ files }) => {
      bytes.end();
      return files;
    },
    (error: unknown) => {
      bytes.destroy(error as Error);
      throw error;
    },
  );
  const [files] = await Promise.all([exported, written]);
  terminal.stderr.write(`sextant: Exported the index of ${formatCount(files)} files.\n`);
  return ExitCode.ok;
}

/** `sextant context import FILE [DIR]` */
export async function runContextImport(
  file: string,
  folder: string,
  { state }: IndexArchiveOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const root = resolveFolder(folder);
  const input = file === '-' ? process.stdin : (await openArchive(file)).createReadStream({ highWaterMark: 1 << 20 });
  const { files } = await importIndex(input, { root, stateFolder: stateFolderOf(root, state) }, terminal.signal);
  terminal.stdout.write(`Imported the index of ${formatCount(files)} files for ${printable(root)}.\n`);
  return ExitCode.ok;
}

async function openArchive(file: string): Promise<FileHandle> {
  try {
    return await open(file);
  } catch (error) {
    throw noFile(file, error);
  }
}
