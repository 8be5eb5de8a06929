import * as vscode from 'vscode';
import type { DefinitionKind } from '../../engine/analyze/language.ts';
import { parseQueryLanguage } from '../../engine/query/queryLanguage.ts';
import type { WireResult } from '../../wire/repositories.ts';
import type { WireClient } from '../../wire/wireClient.ts';
import { Excerpter, type Excerpt } from '../../workspace/excerpt.ts';
import type { ResultPlace } from '../../workspace/resultPlace.ts';
import type { SearchResult } from '../../workspace/searcher.ts';
import { formatCount } from '../../base/format.ts';
import { rootOf, TeamFiles } from './teamFiles.ts';
import type { TeamService } from './teamService.ts';
import { hasTeam } from './teamSetting.ts';

/** A file of the team's repositories, as a result of the workspace is shown. */
export interface TeamResult extends SearchResult {
  /** The repositories that have it, as words. */
  readonly repositories: string;
}

export interface TeamAnswer {
  readonly results: readonly TeamResult[];
  /** What of the query was not understood, or not found. */
  readonly problems: readonly string[];
}

/** The pushed repositories of a team, searched as the workspace is. */
export class TeamCode implements vscode.Disposable {
  readonly service: TeamService;
  readonly files: TeamFiles;

  constructor(service: TeamService) {
    this.service = service;
    this.files = new TeamFiles(() => service.connect());
  }

  /** Whether a service is set; its token may be missing. */
  get isSet(): boolean {
    return hasTeam();
  }

  /** Asks for URL and token where they are missing, or for another token. `undefined` if the user closes the question. */
  connect(replacesToken = false): Promise<WireClient | undefined> {
    return this.service.connect(replacesToken);
  }

  async search(query: string, limit: number, signal: AbortSignal): Promise<TeamAnswer> {
    const client = await this.connect();
    if (!client) return { results: [], problems: [vscode.l10n.t('The team service is not connected.')] };
    const { results, problems } = await client.searchRepositories(query, { limit, signal });
    const excerpter = new Excerpter(parseQueryLanguage(query));
    return { results: results.map((result) => toResult(result, excerpter)), problems };
  }

  dispose(): void {
    this.files.dispose();
    this.service.dispose();
  }
}

function toResult(result: WireResult, excerpter: Excerpter): TeamResult {
  const { path, language, score, alike, repositories, repository_count: count, places } = result;
  const [best, ...more] = places.map((place) => toPlace(place, excerpter)) as [Placed, ...Placed[]];
  const first = repositories[0] ?? '';
  return {
    ...{ root: rootOf(result), path, language, score, more, ...best },
    ...(alike > 0 && { alike }),
    repositories: count > 1 ? vscode.l10n.t('{0} and {1} more repositories', first, formatCount(count - 1)) : first,
  };
}

type Placed = ResultPlace & Excerpt;

/** The service sends the lines of a place, not those of its file. */
function toPlace(place: WireResult['places'][number], excerpter: Excerpter): Placed {
  const { start_line: startLine, end_line: endLine, symbol: named, text } = place;
  const symbol = named && { name: named.name, kind: named.kind as DefinitionKind, line: named.line };
  const before = startLine - 1;
  const lines = text.split('\n');
  const within = symbol && { ...symbol, line: symbol.line - before };
  const shown = { startLine: 1, endLine: lines.length, ...(within && { symbol: within }) };
  const { line, ...excerpt } = excerpter.excerpt(lines, shown as Parameters<Excerpter['excerpt']>[1]);
  return { startLine, endLine, ...(symbol && { symbol }), line: line + before, ...excerpt };
}
