import { readdirSync, readFileSync } from 'node:fs';

/** Memory of a process in megabytes as the system counts it: resident now, or at most so far. Linux only. */
export function memoryMB(pid: number | undefined, field: 'VmRSS' | 'VmHWM'): number | undefined {
  const kilobytes = pid && new RegExp(`${field}:\\s+(\\d+)`).exec(textOf(pid, 'status'))?.[1];
  return kilobytes ? Math.round(Number(kilobytes) / 1000) : undefined;
}

/** The child of a process whose arguments contain a text. Linux only. */
export function childOf(parent: number, argument: string): number | undefined {
  const pids = process.platform === 'linux' ? readdirSync('/proc').map(Number).filter(Boolean) : [];
  return pids.find(
    (pid) => textOf(pid, 'status').includes(`PPid:\t${parent}\n`) && textOf(pid, 'cmdline').includes(argument),
  );
}

/** Nothing where the process has ended. */
function textOf(pid: number, name: 'status' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
