import type { Resource } from './exchange.ts';

export interface Match {
  readonly resource: Resource;
  readonly parameters: Readonly<Record<string, string>>;
}

const NONE: Match['parameters'] = {};

/** Finds the resource of a path: those without parameters by one look-up, the few others in turn. */
export class Router {
  readonly #plain = new Map<string, Match>();
  readonly #patterns: { readonly resource: Resource; readonly pattern: RegExp; readonly names: readonly string[] }[] =
    [];

  constructor(resources: readonly Resource[]) {
    for (const resource of resources) {
      const names = [...resource.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
      if (names.length === 0) this.#plain.set(resource.path, { resource, parameters: NONE });
      else {
        const source = resource.path.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{\w+\}/g, '([^/]+)');
        this.#patterns.push({ resource, pattern: new RegExp(`^${source}$`), names });
      }
    }
  }

  find(path: string): Match | undefined {
    const plain = this.#plain.get(path);
    if (plain) return plain;
    for (const { resource, pattern, names } of this.#patterns) {
      const values = pattern.exec(path)?.slice(1).map(decode);
      if (values?.every((value) => value !== undefined))
        return { resource, parameters: Object.fromEntries(names.map((name, i) => [name, values[i]!])) };
    }
    return undefined;
  }
}

function decode(part: string): string | undefined {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    // Not UTF-8 in percent signs: no such path.
    return undefined;
  }
}
