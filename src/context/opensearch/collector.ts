import type { BulkItem, Cluster, SearchHit } from './cluster.ts';
import type { BlobEntry } from './blobRegistry.ts';
import type { IndexNames } from './schema.ts';
import { decodeRoaring } from './roaring.ts';

interface StoredSet {
  readonly bitmap: string;
}

/** Documents in one request. */
const PAGE = 1_000;
/** Sets in one request; a bitmap of a million files has up to 2 MB. */
const SET_PAGE = 20;

/**
 * Removes what no client used since `cutoff`: sets that no repository needs, and then blobs that no remaining set has. Several servers
 * may do so at a time, and clients may use what is being removed: each write holds only if the document is as it was read.
 *
 * A blob is marked before its document goes, so that a client that asks meanwhile uploads it again; that upload changes the document,
 * which is then not removed. Returns the number of blobs.
 */
export async function collectUnused(
  cluster: Cluster,
  names: IndexNames,
  cutoff: number,
  needed: ReadonlySet<string>,
): Promise<number> {
  await removeSets(cluster, names, cutoff, needed);
  await cluster.refresh(names.sets);
  const reachable = await numbersInSets(cluster, names);
  let removed = 0;
  for await (const hits of pages(cluster, names.blobs, { range: { usedAt: { lt: cutoff } } }, 'number', PAGE)) {
    const unused = hits.filter(({ _source }) => !reachable.has((_source as unknown as BlobEntry).number));
    removed += await removeBlobs(cluster, names, unused);
  }
  return removed;
}

async function removeSets(
  cluster: Cluster,
  names: IndexNames,
  cutoff: number,
  needed: ReadonlySet<string>,
): Promise<void> {
  for await (const hits of pages(cluster, names.sets, { range: { usedAt: { lt: cutoff } } }, 'usedAt', SET_PAGE))
    await cluster.bulk(hits.filter(({ _id }) => !needed.has(_id)).map((hit) => removalOf(names.sets, hit)));
}

async function numbersInSets(cluster: Cluster, names: IndexNames): Promise<Set<number>> {
  const numbers = new Set<number>();
  for await (const hits of pages(cluster, names.sets, { match_all: {} }, 'usedAt', SET_PAGE))
    for (const { _source } of hits)
      for (const number of decodeRoaring(Buffer.from((_source as unknown as StoredSet).bitmap, 'base64')))
        numbers.add(number);
  return numbers;
}

async function removeBlobs(cluster: Cluster, names: IndexNames, unused: readonly SearchHit[]): Promise<number> {
  if (unused.length === 0) return 0;
  // Read before the mark: an upload after it changes the document.
  const documents = await cluster.get(
    names.documents,
    unused.map(({ _id }) => _id),
    { fields: ['path'] },
  );
  const marks = unused.map((hit): BulkItem => {
    const entry = hit._source as unknown as BlobEntry;
    return { ...removalOf(names.blobs, hit), action: 'index', body: { ...entry, state: 'removing' } };
  });
  const isMarked = await cluster.bulk(marks);
  const marked = unused.filter((_, i) => isMarked[i]);
  const removals = documents.flatMap((document, i): BulkItem[] =>
    document && isMarked[i]
      ? [
          {
            action: 'delete',
            index: names.documents,
            id: document.id,
            at: { seqNo: document.seqNo, term: document.term },
          },
        ]
      : [],
  );
  await cluster.bulk(removals);
  // Those that were uploaded again are no longer marked.
  const entries = await cluster.get<BlobEntry>(
    names.blobs,
    marked.map(({ _id }) => _id),
  );
  const left = entries.flatMap((entry) => (entry?.source.state === 'removing' ? [entry] : []));
  const isRemoved = await cluster.bulk(
    left.map(({ id, seqNo, term }) => ({ action: 'delete', index: names.blobs, id, at: { seqNo, term } })),
  );
  return isRemoved.filter(Boolean).length;
}

function removalOf(index: string, { _id: id, _seq_no: seqNo, _primary_term: term }: SearchHit): BulkItem {
  return { action: 'delete', index, id, at: { seqNo: seqNo!, term: term! } };
}

/** The documents that a query matches, in pages, with their revisions. `key` orders them. */
async function* pages(
  cluster: Cluster,
  index: string,
  query: Readonly<Record<string, unknown>>,
  key: string,
  size: number,
): AsyncGenerator<readonly SearchHit[]> {
  for (let after: readonly unknown[] | undefined; ;) {
    const { hits } = (
      await cluster.search(index, {
        ...{ size, query, seq_no_primary_term: true, sort: [{ [key]: 'asc' }, { _id: 'asc' }] },
        ...(after && { search_after: after }),
      })
    ).hits;
    if (hits.length > 0) yield hits;
    if (hits.length < size) return;
    after = hits.at(-1)!.sort;
  }
}
