import type { Language } from './language.ts';
import type { SourceScan } from './scanner.ts';

/** A key, an item or a bracket with what it holds. */
interface Block {
  readonly line: number;
  readonly indent: number;
  /** The name of the section; undefined if it is none. */
  readonly title: string | undefined;
}

/** An element of XML that is open. */
interface Element {
  readonly line: number;
  readonly tag: string;
  title: string | undefined;
}

const code = (character: string): number => character.charCodeAt(0);
const DASH = code('-');
const COLON = code(':');
const QUOTE = code('"');
const OPEN_BRACKET = code('[');
const OPEN_BRACE = code('{');
const LESS = code('<');
const GREATER = code('>');
const OPENERS: readonly number[] = [...Buffer.from('{[')];
const CLOSERS: readonly number[] = [...Buffer.from('}]')];
/** Last characters of a line below which a text begins: `run: |`, `>-`, `|2`. */
const TEXT_SIGNS: readonly number[] = [...Buffer.from('|>-+123456789')];
const MAX_LINE = 300;

/** Number of keys around the innermost that is a section, and the same below a key that only groups others. */
const MAX_KEYS = 1;
const MAX_GROUPED_KEYS = 2;
/** Keys that only group others: of OpenAPI. */
const GROUPS: ReadonlySet<string> = new Set(['components']);
/** Number of keys and items around the innermost item that is a section. */
const MAX_ITEMS = 5;
/** Length from which a key is a section. An item with a name has a line less. */
const MIN_LINES = 3;
/** Number of sections above which the inner ones are data like any other, as in a lock file. */
const MAX_SECTIONS = 1_000;

const DIRECTIVE = /^\s*(?:\{[{%#]|<%)/;
/** The sign of a directive, `end`, its word, and whether its end is on the line: `{% if x %}`, `{%- endif %}`, `{{- end }}`. */
const PART = /^\s*\{([{%])[-~+]?\s*(end)?(\w*)(.*\{[{%][-~+]?\s*end)?/;
const GO_PARTS: ReadonlySet<string> = new Set(['if', 'range', 'with', 'define', 'block']);
const YAML_KEY = /^\s*(["']?)([^\s"'#{}[\]-](?:(?!:\s)[^"'#])*?)\1\s*:(?:\s+[&!][^\s#]+)*\s*(?:#.*)?$/;
const YAML_TEXT = /:\s*[|>][-+\d]*$/;
const YAML_ITEM = /^\s*-\s+(?:name|id|alert|record|job_name|hosts|title)\s*:\s+(["']?)(\S.*?)\1(?:\s+#.*)?$/;
const YAML_FIELD = /^\s*(kind|name)\s*:\s+(["']?)([\w.:/-]+)\2\s*(?:#.*)?$/;
const YAML_END = /^---(?:\s|$)/;
const JSON_KEY = /^\s*"((?:[^"\\]|\\.)+)"\s*:\s*[{[]$/;
const TABLE = /^\s*\[\[?\s*([^[\]",\s](?:[^[\]",]|"[^"]*")*|"[^"]*")\s*\]\]?\s*(?:[#;].*)?$/;

/** Most lines of the first tag of an element, and most elements around one that are looked at. */
const MAX_TAG_LINES = 24;
const MAX_ELEMENTS = 40;
/** An end at the beginning of a line, or of a text at the end of one. */
const XML_CLOSER = /^\s*(?:[^<\s].*)?<\/([\w.:-]+)\s*>/;
const XML_OPENER = /^\s*<([A-Za-z_][\w.:-]*)(?=[\s/>]|$)/;
/** What names an element: an attribute, or an element in it. Packages of .NET are included. */
const XML_NAME =
  /(?:\s(?:[\w-]+:)?(?:id|name|Name|Key|Id)|^\s*<Package\w+\s+(?:Include|Update))\s*=\s*(["'])(?:@\+?id\/)?([^"']*[^"'\s])\1/;
const XML_NAME_WITHIN = /^\s*<(?:artifactId|id|(?:[\w]+-)?name)>\s*([^<>\s][^<>]*?)\s*<\//;

/**
 * The sections of data: a table of TOML or INI, a key of JSON or YAML with several lines, a named item of a list, an
 * element of XML with a name, and a whole resource of Kubernetes, named by its kind and name.
 */
export class Sections {
  readonly #scan: SourceScan;
  readonly #quiet: Uint8Array;
  readonly #found = new Map<number, { readonly title: string; readonly end: number; readonly isOuter: boolean }>();
  readonly #stack: Block[] = [];
  /** The last line with text. */
  #last = 0;
  /** Lines with the beginnings of parts of the template that have no end yet, by the word of their end. */
  readonly #parts = new Map<string, number[]>();
  /** First and last lines of the parts that ended after the last line with text. */
  #ended: (readonly [begin: number, end: number])[] = [];

  constructor(scan: SourceScan, quiet: Uint8Array, language: NonNullable<Language['sections']>) {
    this.#scan = scan;
    this.#quiet = quiet;
    if (language === 'json') this.#findInJson();
    else if (language === 'yaml') this.#findInYaml();
    else if (language === 'xml') this.#findInXml();
    else this.#findTables();
    if (this.#found.size > MAX_SECTIONS)
      for (const [line, { isOuter }] of this.#found) if (!isOuter) this.#found.delete(line);
  }

  /** The name of the section that begins on a line. */
  title(line: number): string | undefined {
    return this.#found.get(line)?.title;
  }

  /** Last line of the section that begins on a line. */
  sectionEnd(line: number): number | undefined {
    return this.#found.get(line)?.end;
  }

  #findTables(): void {
    for (const line of this.#lines()) {
      const isTable = this.#scan.firstByte[line] === OPEN_BRACKET;
      const title = isTable ? TABLE.exec(this.#text(line))?.[1]?.trimEnd() : undefined;
      if (title !== undefined) {
        this.#closeAll();
        this.#stack.push({ line, indent: 0, title });
      }
      this.#last = line;
    }
    this.#closeAll();
  }

  #findInJson(): void {
    const { firstByte, lastByte, indent } = this.#scan;
    const stack = this.#stack;
    for (const line of this.#lines()) {
      const isCloser = CLOSERS.includes(firstByte[line]!);
      while (stack.length > 0 && stack.at(-1)!.indent >= indent[line]!)
        this.#close(isCloser && stack.at(-1)!.indent === indent[line] ? line : this.#last);
      this.#last = line;
      if (!OPENERS.includes(lastByte[line]!)) continue;
      // The outermost bracket is around everything.
      const isKey = firstByte[line] === QUOTE && stack.length > 0 && mayHoldSection(stack.slice(1));
      const title = isKey ? JSON_KEY.exec(this.#text(line))?.[1] : undefined;
      stack.push({ line, indent: indent[line]!, title });
    }
    this.#closeAll();
  }

  #findInYaml(): void {
    const { firstByte, lastByte, indent } = this.#scan;
    const stack = this.#stack;
    /** Indentation of the key of a text in several lines. */
    let text = Number.POSITIVE_INFINITY;
    let resource: Resource | undefined;
    const endDocument = (): void => {
      this.#closeAll();
      if (resource?.kind !== undefined) this.#add(resource.line, `${resource.kind} ${resource.name ?? ''}`.trim());
      resource = undefined;
    };
    for (const line of this.#lines()) {
      const column = indent[line]!;
      if (column > text) {
        this.#last = line;
        continue;
      }
      const isItem = firstByte[line] === DASH;
      // The items of a list may be at the indentation of its key.
      const isAround = (block: Block): boolean =>
        block.indent < column || (block.indent === column && isItem && firstByte[block.line] !== DASH);
      while (stack.length > 0 && !isAround(stack.at(-1)!)) this.#close();
      const content = (isItem && stack.length <= MAX_ITEMS) || this.#mayMatter(line) ? this.#text(line) : '';
      if (column === 0 && isItem && YAML_END.test(content)) endDocument();
      this.#last = line;
      text = TEXT_SIGNS.includes(lastByte[line]!) && YAML_TEXT.test(content) ? column : Number.POSITIVE_INFINITY;
      if (column === 0 && content.startsWith('apiVersion:')) resource ??= { line };
      if (resource) readField(resource, content, stack);
      const [, , title] = (isItem ? YAML_ITEM : YAML_KEY).exec(content) ?? [];
      if (!isItem && title === undefined) continue;
      const isSection = isItem ? stack.length <= MAX_ITEMS : !resource && mayHoldSection(stack);
      stack.push({ line, indent: column, title: isSection ? title : undefined });
    }
    endDocument();
  }

  #findInXml(): void {
    const open: Element[] = [];
    const { firstByte, lastByte } = this.#scan;
    const end = (line: number, { title, line: first }: Element): void => {
      // An element on one line within a named one is a part of that, as a property of a bean is.
      if (title !== undefined && (line > first || open.every((around) => around.title === undefined)))
        this.#add(first, title, line, line > first && open.length === 1);
    };
    let skipped = -1;
    for (const line of this.#lines()) {
      this.#last = line;
      if (line <= skipped || (firstByte[line] !== LESS && lastByte[line] !== GREATER)) continue;
      const text = this.#text(line);
      const closed = XML_CLOSER.exec(text)?.[1];
      if (closed !== undefined) {
        const at = open.findLastIndex(({ tag }) => tag === closed);
        if (at >= 0) end(line, open.splice(at)[0]!);
        continue;
      }
      const tag = XML_OPENER.exec(text)?.[1];
      if (tag === undefined) continue;
      const around = open.at(-1);
      // The outermost element is the whole file.
      if (around && open.length > 1) around.title ??= XML_NAME_WITHIN.exec(text)?.[1];
      const head = this.#tagFrom(line, text);
      skipped = head.end;
      const title = open.length > 0 ? XML_NAME.exec(head.text)?.[2] : undefined;
      const element: Element = { line, tag, title };
      if (head.text.endsWith('/>') || text.includes(`</${tag}`)) end(head.end, element);
      else if (open.length < MAX_ELEMENTS) open.push(element);
    }
  }

  /** The first tag of an element, with the rest of its last line. */
  #tagFrom(line: number, first: string): { readonly text: string; readonly end: number } {
    let end = line;
    let text = first;
    const limit = Math.min(line + MAX_TAG_LINES, this.#scan.lineCount - 1);
    for (; !text.includes('>') && end < limit; text += ` ${this.#text(end).trimStart()}`) end++;
    return { text, end };
  }

  /** Whether a line of YAML may begin a block or a text, or name a resource. */
  #mayMatter(line: number): boolean {
    const last = this.#scan.lastByte[line]!;
    return this.#stack.length <= MAX_GROUPED_KEYS || last === COLON || TEXT_SIGNS.includes(last);
  }

  /** The lines with text outside of comments and directives. */
  *#lines(): Generator<number> {
    const { lineCount, indent } = this.#scan;
    for (let line = 0; line < lineCount; line++) {
      if (indent[line]! < 0 || this.#quiet[line] !== 0) continue;
      if (this.#isDirective(line)) this.#addPart(line);
      else {
        yield line;
        this.#ended.length = 0;
      }
    }
  }

  /** Whether a line begins with a part of a template: `{{- if .Values.x }}`, `{% for x in y %}`. */
  #isDirective(line: number): boolean {
    const first = this.#scan.firstByte[line];
    const isOther = (first !== OPEN_BRACE && first !== LESS) || first === this.#scan.lastByte[line];
    return !isOther && DIRECTIVE.test(this.#text(line));
  }

  /** Begins or ends a part of the template. */
  #addPart(line: number): void {
    const [, sign, end, word = '', isClosed] = PART.exec(this.#text(line)) ?? [];
    // Go has one `end` for all parts.
    const isPart = end !== undefined || sign === '%' || GO_PARTS.has(word);
    if (!isPart || isClosed !== undefined) return;
    const key = sign === '%' ? word : '';
    const begun = this.#parts.get(key) ?? [];
    this.#parts.set(key, begun);
    if (end === undefined) begun.push(line);
    else if (begun.length > 0) this.#ended.push([begun.pop()!, line]);
  }

  #text(line: number): string {
    return this.#scan.line(line, MAX_LINE).trimEnd();
  }

  /** Ends the innermost block. */
  #close(end = this.#last): void {
    const { line, title } = this.#stack.pop()!;
    const first = this.#scan.firstByte[line];
    const least = first === DASH || first === OPEN_BRACKET ? MIN_LINES - 1 : MIN_LINES;
    if (title !== undefined && end - line + 1 >= least) this.#add(line, title, end);
  }

  #closeAll(): void {
    while (this.#stack.length > 0) this.#close();
  }

  #add(line: number, title: string, end = this.#last, isOuter = this.#scan.indent[line] === 0): void {
    // A part of the template that begins within a section ends within it.
    for (const [begin, last] of this.#ended) if (begin > line && last > end) end = last;
    this.#found.set(line, { title, end, isOuter });
  }
}

/** A resource of Kubernetes, as far as it is read. */
interface Resource {
  readonly line: number;
  kind?: string;
  name?: string;
}

/** Reads the kind of a resource, and the name in its metadata. */
function readField(resource: Resource, text: string, around: readonly Block[]): void {
  const [, key, , value] = YAML_FIELD.exec(text) ?? [];
  if (key === 'kind' && around.length === 0) resource.kind ??= value!;
  if (key === 'name' && around.length === 1) resource.name ??= value!;
}

/** Whether a key may be a section within the blocks around it. */
function mayHoldSection(around: readonly Block[]): boolean {
  return around.length <= (GROUPS.has(around[0]?.title ?? '') ? MAX_GROUPED_KEYS : MAX_KEYS);
}
