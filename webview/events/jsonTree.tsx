import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

/** Stands for a secret value. */
export const MASK = '••••••••';
/** Items that a list shows at once. */
const MAX_ITEMS = 100;
/** Levels that are unfolded at first. */
const OPEN_LEVELS = 3;
const MAX_CHARACTERS = 500;

/** A number whose text differs from that of JavaScript, such as `1.0`. */
class Numeral {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

interface ReviverContext {
  readonly source?: string;
}
type SourceParse = (
  text: string,
  reviver: (key: string, value: unknown, context?: ReviverContext) => unknown,
) => unknown;

/** Parses a body, with its numbers as sent; `undefined` for another content and for one that is too deep. */
export function parseBody(body: string): { readonly value: unknown } | undefined {
  try {
    const value = (JSON.parse as SourceParse)(body, (_, one, context) =>
      typeof one === 'number' && context?.source !== undefined && context.source !== String(one)
        ? new Numeral(context.source)
        : one,
    );
    return { value };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

interface TreeProps {
  readonly value: unknown;
  readonly hasSecrets: boolean;
  /** Values to hide, as JSON. */
  readonly secrets: ReadonlySet<string>;
  readonly choose: (path: readonly string[]) => void;
}

/** JSON as a tree whose values are buttons. */
export function JsonTree(props: TreeProps): JSX.Element {
  return (
    <div class="json">
      <Value {...props} path={[]} />
    </div>
  );
}

function Value(props: TreeProps & { readonly path: readonly string[] }): JSX.Element {
  const { value, path, hasSecrets, secrets, choose } = props;
  const [count, setCount] = useState(MAX_ITEMS);
  const [isOpen, setOpen] = useState(path.length < OPEN_LEVELS);
  const name = path.at(-1);
  const key = name === undefined ? null : <span class="key">{name}: </span>;
  if (typeof value !== 'object' || value === null || value instanceof Numeral) {
    const text = value instanceof Numeral ? value.source : JSON.stringify(value);
    const shown = secrets.has(text) && !hasSecrets ? MASK : cutText(text);
    const kind = value instanceof Numeral ? 'number' : value === null ? 'null' : typeof value;
    return (
      <div class="leaf">
        {key}
        <button
          type="button"
          class={`value ${kind}`}
          title={l10n.t('Filter by This Value')}
          disabled={path.length === 0}
          onClick={() => choose(path)}
        >
          {shown}
        </button>
      </div>
    );
  }
  const entries = Object.entries(value as Readonly<Record<string, unknown>>);
  const isList = Array.isArray(value);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {key}
        <span class="size">{isList ? `[${entries.length}]` : `{${entries.length}}`}</span>
      </summary>
      {isOpen && (
        <div class="children">
          {entries.slice(0, count).map(([child, one]) => (
            <Value key={child} {...props} value={one} path={[...path, child]} />
          ))}
          {entries.length > count && (
            <button type="button" class="link" onClick={() => setCount(count + 10 * MAX_ITEMS)}>
              {l10n.t('{0} more', entries.length - count)}
            </button>
          )}
        </div>
      )}
    </details>
  );
}

function cutText(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}
