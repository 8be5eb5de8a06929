/**
 * Signals that ask the process to end. On Windows these are Ctrl-C, Ctrl-Break and the closing of the terminal, after which
 * Windows waits some seconds. Elsewhere SIGHUP is left as it is, since a listener would undo `nohup`.
 */
export const END_SIGNALS: readonly NodeJS.Signals[] =
  process.platform === 'win32' ? ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'] : ['SIGINT', 'SIGTERM'];
