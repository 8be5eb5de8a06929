import { once } from 'node:events';
import { metricsOf } from '../../analytics/reports/metrics.ts';
import { metricsReport, type MetricsReport } from '../../analytics/reports/metricsReport.ts';
import { isOffline } from '../../analytics/client/errors.ts';
import type { AnalyticsData, LoadOptions } from '../../analytics/client/analyticsData.ts';
import { describeError, isCancelled, SextantError } from '../../base/errors.ts';
import { openMetricsText } from '../../base/openMetrics.ts';
import { sleep } from '../../base/sleep.ts';
import { ExitCode, printable, type Terminal } from '../terminal.ts';
import { loading, openData, warnOfQuality, type AnalyticsOptions } from './analytics.ts';
import { readGroupFiles } from './grouping.ts';
import { MetricsServer } from './metricsServer.ts';

export interface MetricsOptions extends AnalyticsOptions {
  readonly once?: true;
  readonly listen?: true;
  readonly port: number;
  readonly accounts: number;
  readonly groups?: string;
}

/** Interval between two loads; figures of finished days change once a day, credits every 90 minutes. */
const EVERY_MS = 15 * 60_000;

/** `sextant metrics` */
export async function runMetrics(options: MetricsOptions, terminal: Terminal): Promise<ExitCode> {
  if (options.listen) return listen(options, terminal);
  if (!options.once)
    throw new SextantError('InvalidOption', 'Add --once to print the figures, or --listen to serve them.');
  const data = await openData(options, terminal);
  const { load, done } = loading(options, terminal);
  const report = await metricsReport(data, { ...load, ...(await readGroupFiles(options.groups)) }).finally(done);
  warnOfQuality(report, terminal);
  terminal.stdout.write(openMetricsText(metricsOf(report, options.accounts)));
  return ExitCode.ok;
}

async function listen(options: MetricsOptions, terminal: Terminal): Promise<ExitCode> {
  const { signal, stdout } = terminal;
  const data = await openData(options, terminal);
  const server = new MetricsServer();
  const port = await server.listen(options.port);
  stdout.write(`Metrics at http://127.0.0.1:${port}/metrics. Ctrl-C stops.\n`);
  const stopped = once(signal, 'abort');
  try {
    await Promise.race([keepLoaded(data, options, server, terminal), stopped]);
  } catch (error) {
    if (!isCancelled(error)) throw error;
  } finally {
    await server.close();
  }
  return ExitCode.ok;
}

/** Loads the figures until the command is stopped. Throws what no later attempt can mend, such as a wrong token. */
async function keepLoaded(
  data: AnalyticsData,
  options: MetricsOptions,
  server: MetricsServer,
  { signal, stderr }: Terminal,
): Promise<never> {
  const { accounts, refresh } = options;
  let known: MetricsReport | undefined;
  const load: LoadOptions = { signal, refresh, isBackground: () => true };
  for (;;) {
    try {
      // The files may have changed.
      known = await metricsReport(data, { ...load, ...(await readGroupFiles(options.groups)) });
    } catch (error) {
      if (!isOffline(error)) throw error;
      stderr.write(`sextant: ${printable(describeError(error))}\n`);
      known = known && { ...known, offline: error as SextantError };
    }
    if (known) server.text = openMetricsText(metricsOf(known, accounts));
    await sleep(EVERY_MS, signal);
  }
}
