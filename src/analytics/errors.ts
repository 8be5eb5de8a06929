import { SextantError } from '../base/errors.ts';

/** A request that the service refuses with 400. The message is part of the contract. */
export function invalidArgument(message: string): SextantError {
  return new SextantError('InvalidArgument', message);
}
