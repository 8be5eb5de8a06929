import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { cancelled, SextantError } from '../../base/errors.ts';
import { removeLeftoverSync } from '../../base/removal.ts';

/** Without it, some shells end by Ctrl-C although the editor goes on. */
const OUTLIVE = process.platform === 'win32' ? '' : 'trap : INT; ';
/** The status of a shell whose program ended by Ctrl-C. */
const INTERRUPTED = 128 + constants.signals.SIGINT;

/** Opens a text in the person's editor, and returns what was saved. Throws `NotEdited` if the editor fails, and `Cancelled`. */
export async function editText(text: string): Promise<string> {
  const editor = process.env.VISUAL ?? process.env.EDITOR ?? 'vi';
  const folder = mkdtempSync(join(tmpdir(), 'sextant-edit-'));
  const file = join(folder, 'event.json');
  try {
    writeFileSync(file, text, { mode: 0o600 });
    // The variable may hold arguments, as for Git.
    const command = `${OUTLIVE}${editor} "${file}"`;
    const { status } = await ignoringInterrupts(() => spawnSync(command, { shell: true, stdio: 'inherit' }));
    if (status === INTERRUPTED) throw cancelled();
    if (status !== 0)
      throw new SextantError('NotEdited', `${editor} ended with ${status}. Set EDITOR to your editor, or use --data.`);
    // Editors end a last line that had no end.
    const saved = readFileSync(file, 'utf8');
    return text.endsWith('\n') ? saved : saved.replace(/\r?\n$/, '');
  } finally {
    removeLeftoverSync(folder, { recursive: true });
  }
}

/**
 * Runs a program that has the terminal. The terminal sends Ctrl-C to both processes, and editors have it as a key: in vi it leaves a
 * mode, and would end the command after the text is saved.
 */
async function ignoringInterrupts<T>(work: () => T): Promise<T> {
  const ignore = (): void => undefined;
  const listeners = process.rawListeners('SIGINT') as NodeJS.SignalsListener[];
  process.on('SIGINT', ignore);
  for (const listener of listeners) process.off('SIGINT', listener);
  try {
    return work();
  } finally {
    // Signals arrive in the next turn of the event loop; this one may already be past that step.
    await setImmediate();
    await setImmediate();
    for (const listener of listeners) process.on('SIGINT', listener);
    process.off('SIGINT', ignore);
  }
}
