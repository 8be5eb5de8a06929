import { win32 } from 'node:path';

/**
 * The path of a program of Windows, below its own folder. Windows looks for a bare name in the current folder first, and so
 * would start a program of that name that lies in a repository.
 */
export function systemProgram(path: string, env: NodeJS.ProcessEnv = process.env): string {
  return win32.join(env.SystemRoot ?? 'C:\\Windows', 'System32', path);
}
