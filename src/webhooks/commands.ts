import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, parse as parsePath, resolve } from 'node:path';
import * as z from 'zod/mini';
import { describeError, SextantError } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { webhookErrors } from './errors.ts';
import { commandInput, parse, RECORD, type CommandExpert } from './schemas.ts';

const fileInput = z.strictObject({ commands: z.array(z.unknown(), 'must be an array') });

/** Folders by which a version control system marks a work tree. */
const WORK_TREES = ['.git', '.hg', '.jj', '.svn'];

function unsafe(file: string, problem: string): SextantError {
  return new SextantError('UnsafeCommands', `The file of commands ${file} ${problem}`);
}

/**
 * Reads the experts that run commands from a file of this machine. Throws `NoCommands`, `InvalidDefinition`, and `UnsafeCommands`
 * for a file that others may write, or of a work tree: a repository must not choose what runs here.
 */
export function readCommands(path: string): CommandExpert[] {
  let file: string;
  let text: string;
  try {
    file = realpathSync(path);
    requireOwn(file);
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof SextantError) throw error;
    throw new SextantError('NoCommands', `The file of commands ${path} cannot be read: ${describeError(error)}.`, {
      cause: error,
    });
  }
  const { commands } = parse(fileInput, parsedJson(text, path), 'file of commands');
  const taken = new Set<string>([RECORD.name]);
  return commands.map((input) => {
    const { cwd = '.', ...command } = parse(commandInput, input, 'command');
    if (taken.has(command.name)) throw webhookErrors.nameTaken('expert', command.name);
    taken.add(command.name);
    return { ...command, type: 'command', cwd: resolve(dirname(file), cwd) };
  });
}

function parsedJson(text: string, path: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw webhookErrors.invalidDefinition('file of commands', path, `is no JSON: ${describeError(error)}`);
  }
}

function requireOwn(file: string): void {
  const { mode, uid } = statSync(file);
  const user = process.getuid?.();
  if (user !== undefined && uid !== user && uid !== 0)
    throw unsafe(file, 'belongs to another user. Name a file of your own.');
  if (user !== undefined && (mode & 0o022) !== 0)
    throw unsafe(file, `may be written by others. Allow only yourself: chmod go-w ${file}`);
  const { root } = parsePath(file);
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const mark = WORK_TREES.find((name) => existsSync(join(folder, name)));
    if (mark !== undefined)
      throw unsafe(
        file,
        `is in the work tree ${folder}. Keep it outside of repositories, such as in ~/.config/sextant.`,
      );
    if (folder === root) return;
  }
}
