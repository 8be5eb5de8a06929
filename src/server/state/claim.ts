import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { explainWriteError, isWriteError, SextantError, systemCode } from '../../base/errors.ts';
import { isLockName, type HeldFence } from '../../base/lease.ts';
import { fileLogger, forwardingLogger, type Logger } from '../../base/log.ts';
import { makeFolder } from '../../base/makeFolder.ts';
import { claimFolder, readFolderMark, refuseLink } from '../../base/ownedFolder.ts';
import { RecordLog } from '../../base/recordLog.ts';
import { readRegularFileSync } from '../../base/regularFile.ts';
import { readPublished } from './published.ts';

/** The server's log in the folder. */
export const LOG_FILE = 'server.log';

/** Inner folders, in which files are written and deleted. */
const INNER = ['imports', 'webhooks', 'webhooks/events', 'webhooks/refusals', 'context', 'context/index'];

/** Names in folders of earlier versions, which had no marker. */
const OLDER = /^(?:writer\.\d+\.lock|server\.json|server\.log|changes\.log|imports|webhooks|context)$/;

/**
 * Marks a folder as the server's. Returns `false` if the disk refuses writes for now. Throws `FolderNotOurs`, without any
 * change, for a folder with other files; `NotAFolder`, `ReadOnly`.
 */
export function claimState(folder: string, logger: Logger): boolean {
  try {
    // Throws for a file of that name.
    if (existsSync(folder)) makeFolder(folder);
    for (const inner of INNER) refuseLink(join(folder, inner));
    const onDamage = (message: string): void => logger.error(message);
    claimFolder(folder, { kind: 'server' }, { mode: 0o700, isOlder: (names) => isOlder(folder, names), onDamage });
    chmodSync(folder, 0o700);
    return true;
  } catch (error) {
    if (error instanceof SextantError) throw error;
    const explained = explainWriteError(error, folder);
    // A folder that cannot be created is probably a wrong name. A full disk may have room later.
    const isWrong = systemCode(error) !== 'ENOSPC' && !existsSync(folder);
    if (!isWriteError(explained) || isWrong) throw explained;
    return false;
  }
}

/** Wraps the lease of a folder that could not be marked at the start, to mark it before the first write. */
export function claimingFence(fence: HeldFence, folder: string, logger: Logger): HeldFence {
  let isClaimed = false;
  return {
    number: fence.number,
    lost: fence.lost,
    check: () => {
      isClaimed ||= claimState(folder, logger);
      fence.check();
    },
    release: () => fence.release(),
  };
}

/** Logs to {@link LOG_FILE} once the folder is marked as the server's; until then it may be of other use. */
export function stateLogger(folder: string): Logger {
  const file = fileLogger(join(folder, LOG_FILE));
  let isOurs = false;
  return forwardingLogger((level, message) => {
    isOurs ||= isMarked(folder);
    if (isOurs) file[level](message);
  });
}

function isMarked(folder: string): boolean {
  try {
    const mark = readFolderMark(folder);
    return typeof mark === 'object' && mark.kind === 'server';
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}

/** Whether an earlier version used the folder, by the content of files, since names alone prove nothing. */
function isOlder(folder: string, names: readonly string[]): boolean {
  if (readPublished(folder).published) return true;
  if ((RecordLog.read({ folder, stem: 'changes' }, () => undefined)?.length ?? 0) > 0) return true;
  // A failed first start left only a lock.
  return names.every((name) => OLDER.test(name)) && names.some((name) => isLock(folder, name));
}

function isLock(folder: string, name: string): boolean {
  return isLockName(name) && /^(?:released|\{"pid":\d+,)/.test(readRegularFileSync(join(folder, name)).toString());
}
