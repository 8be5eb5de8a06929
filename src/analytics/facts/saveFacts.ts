import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomicSync } from '../../base/atomicFile.ts';
import { formatDay } from '../../base/day.ts';
import { explainWriteError, SextantError } from '../../base/errors.ts';
import { makeFolder } from '../../base/makeFolder.ts';
import { removeIfAbandonedSync } from '../../base/removal.ts';
import type { AnalyticsData, LoadOptions } from '../client/analyticsData.ts';
import { daysOf, type DayRange } from '../dateRules.ts';
import { cellsOf, DATASETS } from './datasets.ts';
import { formatFacts, type FactFormat } from './factFormats.ts';

/** Number of files of a run. */
export interface SavedFacts {
  readonly written: number;
  /** Those of an earlier run. */
  readonly kept: number;
  readonly rows: number;
}

/** Names of people are in them. */
const OWNER_ONLY = 0o600;
/** Age of a file that no run is writing any more. */
const ABANDONED_MS = 600_000;

/**
 * Saves every row of finished days in `folder`, as `activity/2026-11-20.parquet`. A file is written whole or not at all,
 * and kept by later runs, so that a run that was stopped continues. With `refresh`, all are written again. Throws
 * `DiskFull`, `ReadOnly`, `Unreachable` and the other errors of the service; the files before them stay.
 */
export async function saveFacts(
  data: AnalyticsData,
  range: DayRange,
  folder: string,
  format: FactFormat,
  options: LoadOptions = {},
): Promise<SavedFacts> {
  const saved = { written: 0, kept: 0, rows: 0 };
  for (const { name } of DATASETS) {
    makeFolder(join(folder, name));
    removeAbandoned(join(folder, name));
  }
  for (const day of daysOf(range))
    for (const { name, columns, load } of DATASETS) {
      const file = join(folder, name, `${formatDay(day)}.${format}`);
      if (!options.refresh && existsSync(file)) {
        saved.kept++;
        continue;
      }
      const { rows, offline, missing } = await load(data, day, options);
      if (missing.length > 0) {
        if (offline) throw offline;
        const text = `${formatDay(day)} is not known to the service yet. Run the command again later.`;
        throw new SextantError('FactsIncomplete', text);
      }
      const cells = rows.map((row) => cellsOf(columns, row, day));
      const content = await formatFacts(format, columns, cells);
      try {
        writeFileAtomicSync(file, content, OWNER_ONLY);
      } catch (error) {
        throw explainWriteError(error, file);
      }
      saved.written++;
      saved.rows += rows.length;
    }
  return saved;
}

/** Removes the files that a killed run was writing; those of another run that goes on are newer. */
function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder))
    if (/^[\d-]{10}\.\w+\.[0-9a-f]{12}\.tmp$/.test(name)) removeIfAbandonedSync(join(folder, name), ABANDONED_MS);
}
