/** Something that keeps an index from being right, and what a person can do about it. */
export interface Problem {
  /** Stable; an error's own where there is one. */
  readonly code: string;
  /** What is the matter, in a sentence or two; they may say what to do. */
  readonly message: string;
  /** What a person can do outside of Sextant, where the message does not say it. */
  readonly advice?: string;
  /** What Sextant can do about it; missing where it is for the person alone. */
  readonly next?: NextAction;
}

/** `update`: look at all files again; `rebuild`: forget the index and make it anew; `log`: read what happened. */
export type NextAction = 'update' | 'rebuild' | 'log';

/** The next action after an error of an index, by its code. */
export function problemOf(code: string, message: string): Problem {
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return {
        code,
        message: 'The folder is gone.',
        advice: 'If it was moved, open it where it is now.',
        next: 'update',
      };
    case 'EACCES':
    case 'EPERM':
      return { code, message: `${message}.`, advice: 'Allow the folder to be read.', next: 'update' };
    case 'EMFILE':
    case 'ENFILE':
      return { code, message: `${message}.`, advice: 'Close programs that have many files open.', next: 'update' };
    case 'DiskFull':
    case 'ReadOnly':
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
