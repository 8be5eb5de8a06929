import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Analyzer } from '../../../src/engine/analyze/analyzer.ts';
import { documentId } from '../../../src/engine/documentId.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { toSymbolSpan, type SymbolSpan } from '../../../src/engine/index/documents.ts';

const MAX_NAMES = 200;
/** No code, and a name for another file. */
const LEFT_OUT = new Set(['heading', 'module']);

/** Of queries for a name: how many show its whole definition first. */
export interface WholeNames {
  readonly names: number;
  readonly whole: number;
}

/**
 * Searches for names with a single definition, at equal distances in the order of paths: a definition is shown whole if the
 * lines of the first result contain it, with its comment.
 */
export async function measureNames(texts: ReadonlyMap<string, string>): Promise<WholeNames> {
  const folder = mkdtempSync(join(tmpdir(), 'sextant-names-'));
  const engine = Engine.open(folder);
  try {
    const add = [...texts].map(([path, text]) => {
      const content = Buffer.from(text);
      return { id: documentId(path, content), path, content };
    });
    await engine.apply({ add });
    const names = singleNames(texts);
    const step = Math.max(1, names.length / MAX_NAMES);
    let whole = 0;
    let searched = 0;
    for (let i = 0; i < names.length; i += step, searched++) {
      const { path, symbol } = names[Math.floor(i)]!;
      const [hit] = await engine.search(symbol.name, { limit: 1 });
      if (hit?.path === path && hit.startLine <= symbol.startLine && hit.endLine >= symbol.endLine) whole++;
    }
    return { names: searched, whole };
  } finally {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Definitions in code whose name, in any case, no other has. */
function singleNames(texts: ReadonlyMap<string, string>): { path: string; symbol: SymbolSpan }[] {
  const analyzer = new Analyzer();
  const found = new Map<string, { path: string; symbol: SymbolSpan }[]>();
  for (const [path, text] of texts) {
    for (const symbol of analyzer.analyze(path, Buffer.from(text)).definitions.map(toSymbolSpan)) {
      if (!/^[A-Za-z_]\w{3,}$/.test(symbol.name) || LEFT_OUT.has(symbol.kind)) continue;
      const name = symbol.name.toLowerCase();
      found.set(name, [...(found.get(name) ?? []), { path, symbol }]);
    }
  }
  return [...found.values()].flatMap((all) => (all.length === 1 ? all : []));
}
