import type { LeaseOwner } from '../../base/lease.ts';
import { SextantError } from '../../base/errors.ts';

export const stateErrors = {
  busy: (folder: string, { pid, host }: LeaseOwner): SextantError =>
    new SextantError(
      'StateBusy',
      `Process ${pid} on ${host} has the state in ${folder}. Use that server, or stop it first.`,
    ),
  newer: (folder: string): SextantError =>
    new SextantError(
      'StateNewer',
      `The state in ${folder} is of a newer version of Sextant. Update, or use another folder.`,
    ),
  damaged: (file: string): SextantError =>
    new SextantError('StateDamaged', `${file} is damaged or missing. Restore it, or use another state folder.`),
  portTaken: (port: number, holder: string): SextantError =>
    new SextantError('PortTaken', `Port ${port} is taken by ${holder}. Stop that, or choose another with --port.`),
};
