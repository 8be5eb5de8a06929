import { explainWriteError, systemCode } from '../../base/errors.ts';
import { parseObject } from '../../base/json.ts';
import { silentLogger, type Logger } from '../../base/log.ts';
import { NumberedFiles } from '../../base/numberedFiles.ts';
import { dueAlerts, type Alert, type Standing, type Told } from '../insights/budgets.ts';

/** Which alerts were told, by whichever window came first: each threshold once for each subject and month. */
export class ToldAlerts {
  readonly #folder: string;
  readonly #files: NumberedFiles;
  readonly #logger: Logger;
  #own: Told = {};

  /** `folder`: of one account. */
  constructor(folder: string, logger: Logger = silentLogger) {
    this.#folder = folder;
    this.#files = new NumberedFiles(folder);
    this.#logger = logger;
  }

  /** Those that nobody has told. From then on they count as told: whoever takes them tells of them. */
  take(standings: readonly Standing[], thresholds: readonly number[], asOf: number): readonly Alert[] {
    try {
      for (;;) {
        const { number, text } = this.#files.newest();
        const { alerts, told } = dueAlerts(standings, thresholds, { ...this.#own, ...readTold(text) }, asOf);
        if (alerts.length === 0 || this.#files.add(number + 1, JSON.stringify(told))) return alerts;
      }
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      // A disk that takes nothing keeps nobody from being warned: this window then remembers by itself.
      this.#logger.warn(`Alerts are counted for this window only: ${String(explainWriteError(error, this.#folder))}`);
      const { alerts, told } = dueAlerts(standings, thresholds, this.#own, asOf);
      this.#own = told;
      return alerts;
    }
  }
}

/** Nothing where it is damaged: told twice is better than never. */
function readTold(text: string | undefined): Told {
  const entries = Object.entries(parseObject(text ?? '') ?? {});
  return Object.fromEntries(entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
}
