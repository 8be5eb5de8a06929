import { execFile } from 'node:child_process';
import { freemem } from 'node:os';
import { systemProgram } from '../base/systemProgram.ts';
import type { Machine } from './machine.ts';

/** Runs a program of the system; resolves to its output, or to nothing if it fails. Never rejects. */
export type Run = (file: string, args: readonly string[]) => Promise<string>;

const MAC_BATTERY_MS = 60_000;
const MAC_MEMORY_MS = 15_000;
/** PowerShell takes a third of a second of processor time. */
const WINDOWS_BATTERY_MS = 300_000;
const LIMIT_MS = 20_000;

/** A Mac: `pmset` reports the battery and `vm_stat` the memory. Unknown until they have answered once. */
export function macMachine(run: Run = runProgram, now = Date.now): Machine {
  const battery = polled(MAC_BATTERY_MS, now, async () => isMacOnBattery(await run('/usr/bin/pmset', ['-g', 'batt'])));
  const memory = polled(MAC_MEMORY_MS, now, async () => macFreeMemory(await run('/usr/bin/vm_stat', [])));
  return { isOnBattery: () => battery() ?? false, freeMemory: memory };
}

/** Windows: PowerShell reports the battery. It is not started again on a machine that has none. */
export function windowsMachine(env: NodeJS.ProcessEnv = process.env, run: Run = runProgram, now = Date.now): Machine {
  const shell = systemProgram('WindowsPowerShell\\v1.0\\powershell.exe', env);
  const query = '(Get-CimInstance -ClassName Win32_Battery).BatteryStatus';
  let hasBattery = true;
  const battery = polled(WINDOWS_BATTERY_MS, now, async () => {
    if (!hasBattery) return false;
    const output = await run(shell, ['-NoProfile', '-NonInteractive', '-Command', query]);
    hasBattery = /\d/.test(output);
    return isWindowsOnBattery(output);
  });
  return { isOnBattery: () => battery() ?? false, freeMemory: freemem };
}

/** Reads the first line of `pmset -g batt`: `Now drawing from 'Battery Power'`, or `'AC Power'`. */
export function isMacOnBattery(output: string): boolean {
  return /^Now drawing from 'Battery Power'/m.test(output);
}

/** Bytes that programs can get, by `vm_stat`: free pages, and those that macOS gives away when they are needed. */
export function macFreeMemory(output: string): number | undefined {
  const page = Number(/page size of (\d+) bytes/.exec(output)?.[1]);
  const pages = ['free', 'inactive', 'speculative'].map((kind) =>
    Number(new RegExp(`^Pages ${kind}:\\s+(\\d+)`, 'm').exec(output)?.[1]),
  );
  const bytes = page * pages.reduce((sum, one) => sum + one, 0);
  return Number.isNaN(bytes) ? undefined : bytes;
}

/**
 * Reads `BatteryStatus` of Win32_Battery, a line for each battery: 1 is discharging, 4 and 5 are low and critical. With two
 * batteries one may rest while the other one is used.
 */
export function isWindowsOnBattery(output: string): boolean {
  return output.split(/\s+/).some((status) => ['1', '4', '5'].includes(status));
}

/** The latest value of a slow question, which a call asks again in the background once the value is old. */
function polled<T>(everyMs: number, now: () => number, ask: () => Promise<T>): () => T | undefined {
  let value: T | undefined;
  let askedAt = -Infinity;
  return () => {
    if (now() - askedAt >= everyMs) {
      askedAt = now();
      void ask().then((answer) => (value = answer));
    }
    return value;
  };
}

function runProgram(file: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const options = { timeout: LIMIT_MS, windowsHide: true, env: { ...process.env, LC_ALL: 'C' } };
    execFile(file, args, options, (error, output) => resolve(error ? '' : output)).unref();
  });
}
