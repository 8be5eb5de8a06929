import { serve } from '../../src/base/rpc.ts';
import { parentChannel } from '../../src/base/worker.ts';

/* The entry of a worker for tests. */

export interface EchoMethods {
  echo(value: unknown): unknown;
  pid(argument: undefined): number;
  exit(code: number): void;
}

serve<EchoMethods, object>(parentChannel(), {
  echo: (value) => value,
  pid: () => process.pid,
  exit: (code) => process.exit(code),
});
