import type { KeptPlace } from '../../workspace/resultPlace.ts';

/* Search results as text to paste, keep or search. Where several folders are open, `nameOf` names the folder of each file. */

type NameOf = (root: string) => string;

function pathOf({ root, path }: { readonly root: string; readonly path: string }, nameOf?: NameOf): string {
  return nameOf ? `${nameOf(root)}/${path}` : path;
}

/** Places of one file, in the order of its lines. */
export interface FileOfResults {
  readonly root: string;
  readonly path: string;
  readonly places: readonly KeptPlace[];
}

/** Groups places by file, in the order of each file's first place. */
export function groupByFile(places: readonly KeptPlace[]): FileOfResults[] {
  const files = new Map<string, { root: string; path: string; places: KeptPlace[] }>();
  for (const place of places) {
    const { root, path } = place;
    const file = files.get(`${root}\0${path}`) ?? { root, path, places: [] };
    files.set(`${root}\0${path}`, file);
    file.places.push(place);
  }
  for (const file of files.values()) file.places.sort((a, b) => a.line - b.line);
  return [...files.values()];
}

/** One place in each line: `path:line: text`, as compilers and grep write it. */
export function asLines(places: readonly KeptPlace[], nameOf?: NameOf): string {
  return places.map((place) => `${pathOf(place, nameOf)}:${place.line}: ${place.text}\n`).join('');
}

/** A Markdown list by file. Code is shown literally. */
export function resultsAsMarkdown(query: string, places: readonly KeptPlace[], nameOf?: NameOf): string {
  const files = groupByFile(places).map((file) => {
    const lines = file.places.map(({ line, text }) => `- ${line}: ${code(text)}\n`);
    return `## ${code(pathOf(file, nameOf))}\n\n${lines.join('')}`;
  });
  return `# ${code(query)}\n\n${files.join('\n')}`;
}

/** A code span with more backquotes around it than inside. */
function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([quotes]) => quotes.length));
  const fence = '`'.repeat(longest + 1);
  const space = longest > 0 || text.trim() === '' ? ' ' : '';
  return `${fence}${space}${text}${space}${fence}`;
}

/** Text in the language of the editor's search editors, in which paths and lines are links. */
export function asSearchEditor(query: string, places: readonly KeptPlace[], nameOf?: NameOf): string {
  const files = groupByFile(places);
  const texts = files.map(({ root, path, places: own }) => {
    // As wide as the last number, which is the largest.
    const width = String(own.at(-1)!.line).length;
    const lines = own.map(({ line, text }) => `  ${String(line).padStart(width)}: ${text}\n`);
    return `${nameOf ? `${nameOf(root)} • ` : ''}${path}:\n${lines.join('')}`;
  });
  const counts = `${places.length} ${places.length === 1 ? 'result' : 'results'} - ${files.length} ${files.length === 1 ? 'file' : 'files'}`;
  return `# Query: ${query}\n\n${counts}\n\n${texts.join('\n')}`;
}
