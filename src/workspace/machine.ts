import { readdirSync, readFileSync } from 'node:fs';
import { freemem, totalmem } from 'node:os';
import { join } from 'node:path';
import { systemCode } from '../base/errors.ts';

/** What background work should know of the machine that it is on. */
export interface Machine {
  /** False where that is not known. */
  isOnBattery(): boolean;
  /** Bytes that programs can have without others being swapped out; `undefined` where that is not known. */
  freeMemory(): number | undefined;
}

/**
 * The machine as Linux tells of it under `/sys` and `/proc`. Elsewhere the battery is not known, as that takes a program
 * to ask; nor is the memory on macOS, where what counts as free leaves out all that can be had.
 */
export function thisMachine(root = '/'): Machine {
  const supplies = join(root, 'sys/class/power_supply');
  return {
    isOnBattery: () => {
      const read = (name: string, what: string): string | undefined => textIn(join(supplies, name, what))?.trim();
      const names = namesIn(supplies);
      const mains = names.filter((name) => ['Mains', 'USB'].includes(read(name, 'type') ?? ''));
      if (mains.some((name) => read(name, 'online') === '1')) return false;
      // A mouse has a battery as well; its scope says so.
      return names.some((name) => read(name, 'status') === 'Discharging' && read(name, 'scope') !== 'Device');
    },
    freeMemory: () => {
      const available = /^MemAvailable:\s+(\d+) kB/m.exec(textIn(join(root, 'proc/meminfo')) ?? '')?.[1];
      if (available !== undefined) return Number(available) * 1024;
      return process.platform === 'win32' ? freemem() : undefined;
    },
  };
}

/** Below this, indexing waits: a twentieth of the memory, at least 256 MB, at most 1 GB. */
export function lowMemory(total = totalmem()): number {
  return Math.min(1 << 30, Math.max(256 << 20, total / 20));
}

/** Not by the reader of folders: the system gives these files no size. */
function textIn(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Not Linux, or a machine without any.
    return [];
  }
}
