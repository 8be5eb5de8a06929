import { serve } from '../base/rpc.ts';
import { parentChannel } from '../base/worker.ts';
import { makeDiagnostics } from './diagnostics.ts';
import { explain } from './explain.ts';
import { readContents } from './folderReport.ts';
import type { SearchMethods } from './indexProtocol.ts';
import { Searcher } from './searcher.ts';
import { explainFile } from './whyFile.ts';
import { explainRank } from './whyRank.ts';

/* The entry of the searching thread. It is apart from the indexing process, so that neither waits for the other. */

const searcher = new Searcher();

serve<SearchMethods, object>(parentChannel(), {
  setUnsaved: (unsaved) => searcher.setUnsaved(unsaved),
  search: (request, signal, report) => searcher.search(request, signal, report),
  usages: (request, signal) => searcher.usages(request, signal),
  count: (request, signal) => searcher.count(request, signal),
  complete: (request) => searcher.complete(request),
  similarQuery: (request) => searcher.similarQuery(request),
  relocate: (request) => searcher.relocate(request),
  contents: ({ stateFolder }) => readContents(stateFolder),
  explainFile: ({ folder, path }) => explainFile(folder, path, Date.now()),
  explain: (request, signal) => explain(request, signal),
  read: ({ folder, path }) => searcher.read(folder, path),
  explainRank: (request, signal) => explainRank(request, signal),
  diagnose: (input) => makeDiagnostics(input),
});
