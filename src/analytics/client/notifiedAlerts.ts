import { describeError, explainWriteError, systemCode } from '../../base/errors.ts';
import { parseObject } from '../../base/json.ts';
import { silentLogger, type Logger } from '../../base/log.ts';
import { NumberedFiles } from '../../base/numberedFiles.ts';
import { dueAlerts, type Alert, type LimitStatus, type NotifiedAlert } from '../insights/budgets.ts';

/** Records the alerts already shown by any window: each threshold once for each subject and month. */
export class NotifiedAlerts {
  readonly #folder: string;
  readonly #files: NumberedFiles;
  readonly #logger: Logger;
  #own: NotifiedAlert = {};

  /** `folder` belongs to one account. */
  constructor(folder: string, logger: Logger = silentLogger) {
    this.#folder = folder;
    this.#files = new NumberedFiles(folder);
    this.#logger = logger;
  }

  /** The alerts not shown yet. From now on they count as shown: the caller shows them. */
  take<S extends LimitStatus>(
    statuses: readonly S[],
    thresholds: readonly number[],
    asOf: number,
  ): readonly Alert<S>[] {
    let known = this.#own;
    try {
      for (;;) {
        const { number, text } = this.#files.newest();
        known = highest(this.#own, readNotified(text));
        const { alerts, notified } = dueAlerts(statuses, thresholds, known, asOf);
        if (alerts.length === 0 || this.#files.add(number + 1, JSON.stringify(notified))) return alerts;
      }
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      // A disk that cannot be written suppresses no alert: this window then remembers by itself.
      const explained = describeError(explainWriteError(error, this.#folder));
      this.#logger.warn(`Alerts are counted for this window only: ${explained}`);
      const { alerts, notified } = dueAlerts(statuses, thresholds, known, asOf);
      this.#own = notified;
      return alerts;
    }
  }
}

/** What either one has, with the higher threshold. */
function highest(a: NotifiedAlert, b: NotifiedAlert): NotifiedAlert {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...keys].map((key) => [key, Math.max(a[key] ?? 0, b[key] ?? 0)]));
}

/** Empty if the file is damaged: a repeated alert is better than none. */
function readNotified(text: string | undefined): NotifiedAlert {
  const entries = Object.entries(parseObject(text ?? '') ?? {});
  return Object.fromEntries(entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
}
