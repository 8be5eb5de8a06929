/** A problem of an index, and its remedy. */
export interface IndexProblem {
  /** Stable; the code of an error, if there is one. */
  readonly code: string;
  /** The problem in one or two sentences, which may include the remedy. */
  readonly message: string;
  /** A remedy outside of Sextant, unless the message has it. */
  readonly advice?: string;
  /** The action of Sextant that may help. */
  readonly next?: IndexAction;
}

/** `update`: scan all files; `rebuild`: build the index from scratch; `log`: read the log. */
export type IndexAction = 'update' | 'rebuild' | 'log';

/** A problem and its remedy. */
export function sentencesOf({ message, advice }: IndexProblem): string {
  return advice === undefined ? message : `${message} ${advice}`;
}

/** The next action after an error of an index, by its code. */
export function indexProblemOf(code: string, message: string): IndexProblem {
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return {
        code,
        message: 'The folder is missing.',
        advice: 'If it was moved, open its new location.',
        next: 'update',
      };
    case 'EACCES':
    case 'EPERM':
      return { code, message: `${message}.`, advice: 'Allow Sextant to read the folder.', next: 'update' };
    case 'EMFILE':
    case 'ENFILE':
      return { code, message: `${message}.`, advice: 'Close programs that have many files open.', next: 'update' };
    case 'DiskFull':
    case 'ReadOnly':
    case 'FileInUse':
    case 'IndexBusy':
    case 'LeaseLost':
      return { code, message, next: 'update' };
    case 'IndexFormat':
    case 'IndexDamaged':
      return { code, message, next: 'rebuild' };
    default:
      return { code, message, next: 'log' };
  }
}
