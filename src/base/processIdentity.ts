import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { systemCode } from './errors.ts';
import { once } from './once.ts';

/**
 * Identifies one process among all that ever ran. A process id alone does not: it is used again after a restart, in a
 * container nearly always by the same program.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** The start of the system (Linux: its boot id), where it is known. */
  readonly boot?: string;
  /** The start of the process, in a form that only compares: Linux clock ticks since boot, elsewhere a date. */
  readonly started?: string;
  /** The namespace that `pid` counts in (Linux). */
  readonly namespace?: string;
}

/** The identity of this process. */
export const ownIdentity = once((): ProcessIdentity => {
  const started = process.platform === 'linux' ? startOf('self') : startByPs(process.pid);
  const boot = textOf('/proc/sys/kernel/random/boot_id');
  const namespace = pidNamespace();
  return {
    pid: process.pid,
    host: hostname(),
    ...(boot !== undefined && { boot }),
    ...(started !== undefined && { started }),
    ...(namespace !== undefined && { namespace }),
  };
});

/** `undefined` where it cannot be found out from here, as for a process of another machine or container. */
export function isRunning(other: ProcessIdentity): boolean | undefined {
  const own = ownIdentity();
  if (other.host !== own.host) return undefined;
  if (differ(other.boot, own.boot)) return false;
  // A container that was restarted: what has our id here is we, and the other one is over.
  if (other.pid === own.pid) return other.started === own.started;
  if (differ(other.namespace, own.namespace)) return undefined;
  if (!hasProcess(other.pid)) return false;
  return !differ(other.started, startedAt(other.pid));
}

function differ(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}

function startedAt(pid: number): string | undefined {
  if (process.platform !== 'linux') return startByPs(pid);
  // `unshare --pid` without a /proc of its own shows the processes of another namespace.
  return readlinkOf('/proc/self') === String(process.pid) ? startOf(String(pid)) : undefined;
}

/** Field 22 of proc(5)'s stat. The name in field 2 may hold spaces and parentheses, so fields count from its end. */
function startOf(process: string): string | undefined {
  const stat = textOf(`/proc/${process}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

function startByPs(pid: number): string | undefined {
  if (process.platform === 'win32') return undefined;
  try {
    const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
    const text = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return text.trim() || undefined;
  } catch {
    // No such process, or no ps: the process id has to do.
    return undefined;
  }
}

function pidNamespace(): string | undefined {
  return readlinkOf('/proc/self/ns/pid');
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    // Not Linux, or /proc is hidden.
    return undefined;
  }
}

function readlinkOf(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
}
