import type { SextantError } from '../base/errors.ts';
import { forwardingLogger } from '../base/log.ts';
import { serve } from '../base/rpc.ts';
import { parentChannel } from '../base/worker.ts';
import { readCommands } from '../webhooks/commands.ts';
import { DEFAULT_SIMULATION } from './analytics/simulation/options.ts';
import { loadData, startOrAttach } from './launch.ts';
import { findAnswering } from './runningServer.ts';
import type { SextantServer } from './server.ts';
import type { ServerEvents, ServerMethods } from './serverProtocol.ts';

/* The entry of the thread in which a window's server runs, so that neither waits for the other. */

const logger = forwardingLogger((level, message) => emit('log', { level, message }));
let server: SextantServer | undefined;
const onLost = ({ code, message }: SextantError): void => emit('lost', { code, message });

/** The editor waits until a tree is quiet for 200 ms before it draws it again: more frequent reports are never shown. */
const REPORT_MS = 300;

function reportLines(): (lines: number) => void {
  let last = -REPORT_MS;
  return (lines) => {
    const now = performance.now();
    if (now - last < REPORT_MS) return;
    last = now;
    emit('progress', { lines });
  };
}

const emit = serve<ServerMethods, ServerEvents>(parentChannel(), {
  async start({ state, port, data, version, maxBodyBytes, commands: file }, signal) {
    const read = (file: string) => () => loadData(file, reportLines(), signal);
    const facts = data === undefined ? { simulation: DEFAULT_SIMULATION } : { data: read(data) };
    const commands = file === undefined ? undefined : readCommands(file);
    const options = { state, port, version, webhooks: { maxBodyBytes, commands }, ...facts };
    const launched = await startOrAttach(options, { logger, onLost }, signal);
    server = launched.server;
    return { info: launched.info, isOwn: server !== undefined, isEmpty: server?.organization.isEmpty ?? false };
  },
  find: ({ state }, signal) => findAnswering(state, signal),
  stop: () => server?.close(),
});
