import { readdirSync, readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { systemCode } from '../base/errors.ts';

/** State of the machine that limits background work. */
export interface Machine {
  /** False if unknown. */
  isOnBattery(): boolean;
  /** Bytes that programs can get without swapping; `undefined` if unknown. */
  freeMemory(): number | undefined;
}

/** Reads the state of the machine from `/sys` and `/proc`; of another system nothing is known. */
export function linuxMachine(root = '/'): Machine {
  const supplies = join(root, 'sys/class/power_supply');
  return {
    isOnBattery: () => {
      const read = (name: string, key: string): string | undefined => textIn(join(supplies, name, key))?.trim();
      const names = namesIn(supplies);
      const mains = names.filter((name) => ['Mains', 'USB'].includes(read(name, 'type') ?? ''));
      if (mains.some((name) => read(name, 'online') === '1')) return false;
      // The battery of a mouse has the scope of a device.
      return names.some((name) => read(name, 'status') === 'Discharging' && read(name, 'scope') !== 'Device');
    },
    freeMemory: () => {
      const available = /^MemAvailable:\s+(\d+) kB/m.exec(textIn(join(root, 'proc/meminfo')) ?? '')?.[1];
      return available === undefined ? undefined : Number(available) * 1024;
    },
  };
}

/** Below this, indexing waits: a twentieth of the memory, at least 256 MB, at most 1 GB. */
export function lowMemory(total = totalmem()): number {
  return Math.min(1 << 30, Math.max(256 << 20, total / 20));
}

/** Reads a file of the system, which has no size there, so GuardedFolder cannot read it. */
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
    // Not Linux, or a machine without power supplies.
    return [];
  }
}
