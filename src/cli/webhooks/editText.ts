import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SextantError } from '../../base/errors.ts';
import { removeLeftoverSync } from '../../base/removal.ts';

/** Opens a text in the person's editor, and returns what was saved. Throws `NotEdited` if the editor fails. */
export function editText(text: string): string {
  const editor = process.env.VISUAL ?? process.env.EDITOR ?? 'vi';
  const folder = mkdtempSync(join(tmpdir(), 'sextant-edit-'));
  const file = join(folder, 'event.json');
  try {
    writeFileSync(file, text, { mode: 0o600 });
    // The variable may hold arguments, as for Git.
    const { status } = spawnSync(`${editor} "${file}"`, { shell: true, stdio: 'inherit' });
    if (status !== 0)
      throw new SextantError('NotEdited', `${editor} ended with ${status}. Set EDITOR to your editor, or use --data.`);
    // Editors end a last line that had no end.
    const saved = readFileSync(file, 'utf8');
    return text.endsWith('\n') ? saved : saved.replace(/\r?\n$/, '');
  } finally {
    removeLeftoverSync(folder, { recursive: true });
  }
}
