import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Returns a function that creates folders, which are removed after the suite. */
export function temporaryFolder(): () => string {
  const made: string[] = [];
  after(() => {
    for (const folder of made) rmSync(folder, { recursive: true, force: true, maxRetries: 12 });
  });
  return () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sextant-test-')));
    made.push(folder);
    return folder;
  };
}

/** Returns a function that names the present test's own folder. Call it inside `describe`. */
export function folderOfTest(): () => string {
  const newFolder = temporaryFolder();
  let folder: string;
  beforeEach(() => (folder = newFolder()));
  return () => folder;
}

/** Writes files by path below `root`. */
export function writeFiles(root: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}
