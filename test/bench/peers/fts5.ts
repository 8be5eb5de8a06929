import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { SourceFile } from '../corpus.ts';
import type { ChangedFile, Peer } from './peer.ts';

/**
 * SQLite FTS5 by its documentation, one row per file: it finds no places in files, and is the fastest layout.
 * `lean` keeps no text (`contentless_delete`), as Sextant's index does not.
 */
export function openFts5(lean: boolean, folder: string, mode: 'read' | 'write'): Promise<Peer> {
  return Promise.resolve(new Fts5(lean, folder, mode));
}

class Fts5 implements Peer {
  readonly #database: DatabaseSync;
  readonly #find: StatementSync;
  #insertFile: StatementSync | undefined;
  #insertText: StatementSync | undefined;

  constructor(lean: boolean, folder: string, mode: 'read' | 'write') {
    this.#database = new DatabaseSync(join(folder, 'fts5.sqlite'), { readOnly: mode === 'read', timeout: 10_000 });
    this.#database.exec('pragma cache_size = -65536');
    if (mode === 'write') {
      if (this.#database.prepare("select sqlite_compileoption_used('ENABLE_FTS5') as used").get()?.used !== 1)
        throw new Error('The SQLite of this Node is built without FTS5.');
      this.#database.exec(`
        pragma journal_mode = wal;
        create table if not exists file (id integer primary key, path text unique);
        create virtual table if not exists text using fts5(body${lean ? ", content = '', contentless_delete = 1" : ''});
      `);
      this.#insertFile = this.#database.prepare('insert into file (path) values (?)');
      this.#insertText = this.#database.prepare('insert into text (rowid, body) values (?, ?)');
    }
    this.#find = this.#database.prepare(
      'select path from text join file on file.id = text.rowid where text match ? order by rank limit ?',
    );
  }

  add(files: Iterable<SourceFile>): Promise<void> {
    this.#inTransaction(() => {
      for (const { path, content } of files) {
        const { lastInsertRowid } = this.#insertFile!.run(path);
        this.#insertText!.run(lastInsertRowid, content.toString('utf8'));
      }
    });
    return Promise.resolve();
  }

  replace(files: readonly ChangedFile[]): Promise<void> {
    const idOf = this.#database.prepare('select id from file where path = ?');
    const remove = this.#database.prepare('delete from text where rowid = ?');
    this.#inTransaction(() => {
      for (const { before, content } of files) {
        const id = Number(idOf.get(before)!.id);
        remove.run(id);
        this.#insertText!.run(id, content.toString('utf8'));
      }
    });
    return Promise.resolve();
  }

  handleOf({ path }: SourceFile): string {
    return path;
  }

  search(query: string, limit: number): Promise<readonly string[]> {
    return Promise.resolve(this.#find.all(matchOf(query), limit).map(({ path }) => String(path)));
  }

  refresh(): void {
    // Each query sees the newest commit.
  }

  settle(): Promise<void> {
    this.#database.exec('pragma wal_checkpoint(truncate)');
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#database.close();
    return Promise.resolve();
  }

  #inTransaction(work: () => void): void {
    this.#database.exec('begin');
    work();
    this.#database.exec('commit');
  }
}

/** Keeps a phrase, and joins words by OR: FTS5 requires all words by default. */
function matchOf(query: string): string {
  if (query.startsWith('"')) return query;
  const words = new Set(query.match(/[\p{L}\p{N}_]+/gu) ?? []);
  return words.size === 0 ? '""' : [...words].map((word) => `"${word}"`).join(' OR ');
}
