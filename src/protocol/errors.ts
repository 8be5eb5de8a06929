import { SextantError } from '../base/errors.ts';

/** Every failure of the messages between a page and the extension. Codes are stable. */
export const protocolErrors = {
  /** `where` is a position in the argument such as `question`, or empty. */
  invalidRequest: (name: string, where: string, problem: string): SextantError =>
    new SextantError(
      'InvalidRequest',
      `The view sent an invalid request "${name}"${where === '' ? '' : ` (argument "${where}")`}: ${problem}. Close the view and open it again.`,
    ),
};
