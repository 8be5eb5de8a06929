import { linuxMachine, type Machine } from './machine.ts';
import { macMachine, windowsMachine } from './machinePrograms.ts';

/** The machine that this process runs on. */
export function thisMachine(platform = process.platform): Machine {
  if (platform === 'darwin') return macMachine();
  return platform === 'win32' ? windowsMachine() : linuxMachine();
}
