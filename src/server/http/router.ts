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
      const found = pattern.exec(path);
      const parameters = found && parametersOf(names, found);
      if (parameters) return { resource, parameters };
    }
    return undefined;
  }
}

function parametersOf(names: readonly string[], [, ...values]: RegExpExecArray): Record<string, string> | undefined {
  const parameters: Record<string, string> = {};
  for (let i = 0; i < names.length; i++) {
    const value = decode(values[i]!);
    if (value === undefined) return undefined;
    parameters[names[i]!] = value;
  }
  return parameters;
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
