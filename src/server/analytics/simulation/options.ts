import { SextantError } from '../../../base/errors.ts';
import type { SimulationOptions } from '../../state/records.ts';

export const DEFAULT_SIMULATION: SimulationOptions = { seed: 1, users: 50, plan: 'credits' };
export const MAX_USERS = 100_000;

/** Options with what is missing put in. Throws `InvalidOption`. */
export function readSimulation(given: {
  readonly seed?: number | undefined;
  readonly users?: number | undefined;
  readonly plan?: string | undefined;
}): SimulationOptions {
  const { seed = DEFAULT_SIMULATION.seed, users = DEFAULT_SIMULATION.users, plan = DEFAULT_SIMULATION.plan } = given;
  if (!Number.isSafeInteger(seed) || seed < 0) throw invalidOption('seed', 'a whole number from 0 to 2^53 - 1');
  if (!Number.isInteger(users) || users < 1 || users > MAX_USERS)
    throw invalidOption('users', `a whole number from 1 to ${MAX_USERS}`);
  if (plan !== 'credits' && plan !== 'usd') throw invalidOption('plan', 'credits or usd');
  return { seed, users, plan };
}

function invalidOption(name: string, what: string): SextantError {
  return new SextantError('InvalidOption', `${name} must be ${what}.`);
}
