import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Ways to run a program with private mounts, which end with the program. */
const NAMESPACES = [
  ['unshare', '--mount'],
  ['unshare', '--map-root-user', '--mount'],
];

/** The way to mount on `place` on this machine; without one the test is skipped, with the reason. */
export function namespace(test: Mocha.Context, place: string): readonly string[] {
  for (const command of NAMESPACES) {
    const mount = ['mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', place];
    if (spawnSync(command[0]!, [...command.slice(1), ...mount]).status === 0) return command;
  }
  console.log('      skipped: a small disk cannot be mounted here (it needs Linux, and root or user namespaces)');
  return test.skip();
}

/** Runs a script of this folder, and returns its output. */
export function runScript(before: readonly string[], script: string, args: readonly string[]): string {
  const command = [...before, process.execPath, join(import.meta.dirname, script), ...args];
  const { status, stdout, stderr } = spawnSync(command[0]!, command.slice(1), { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout;
}

/** A file that leaves a number of bytes of its disk free, or fewer when another process writes meanwhile. */
export class Filler {
  readonly #disk: string;

  constructor(disk: string) {
    this.#disk = disk;
  }

  leave(free: number): void {
    this.remove();
    const { bavail, bsize } = statfsSync(this.#disk);
    try {
      writeFileSync(this.#file, Buffer.alloc(Math.max(0, bavail * bsize - free)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }

  remove(): void {
    rmSync(this.#file, { force: true });
  }

  get #file(): string {
    return join(this.#disk, 'filler');
  }
}
