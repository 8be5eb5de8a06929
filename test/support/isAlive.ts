/** Whether a process exists, including one that has ended and is not reaped yet. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
