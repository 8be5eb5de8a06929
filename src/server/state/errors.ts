import { describeOwner, type LeaseOwner } from '../../base/lease.ts';
import { SextantError } from '../../base/errors.ts';

export const stateErrors = {
  busy: (folder: string, owner: LeaseOwner): SextantError =>
    new SextantError(
      'StateBusy',
      `${describeOwner(owner)} has the state in ${folder}. Use that server, or stop it first.`,
    ),
  newer: (folder: string): SextantError =>
    new SextantError(
      'StateNewer',
      `The state in ${folder} is of a newer version of Sextant. Update, or use another folder.`,
    ),
  damaged: (file: string, cause?: unknown): SextantError =>
    new SextantError('StateDamaged', `${file} is damaged or missing. Restore it, or use another state folder.`, {
      cause,
    }),
  portTaken: (port: number, holder: string): SextantError =>
    new SextantError('PortTaken', `Port ${port} is taken by ${holder}. Stop that, or choose another with --port.`),
};
