// Makes the JSON Schemas of the command's JSON from its types, src/cli/jsonOutput.ts: the only definition.
import { join } from 'node:path';
import ts from 'typescript';
import { root } from './dependencies.mjs';

export const SCHEMAS = join(root, 'docs/json');
const ENTRY = join(root, 'src/cli/jsonOutput.ts');

/** @typedef {{ [keyword: string]: unknown }} Schema */

/**
 * Schemas by name. Objects may get more fields in a later version, so that others are allowed.
 * @returns {Map<string, Schema>}
 */
export function makeJsonSchemas() {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (file) => ts.sys.readFile(file));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram([ENTRY], { ...options, noEmit: true });
  const checker = program.getTypeChecker();
  const source = /** @type {ts.SourceFile} */ (program.getSourceFile(ENTRY));
  const output = checker
    .getExportsOfModule(/** @type {ts.Symbol} */ (checker.getSymbolAtLocation(source)))
    .find(({ name }) => name === 'JsonOutput');
  if (!output) throw new Error(`${ENTRY} has no JsonOutput.`);
  const writer = new SchemaWriter(checker, source);
  return new Map(
    checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(output)).map((property) => {
      const schema = writer.root(checker.getTypeOfSymbolAtLocation(property, source));
      const head = { $schema: 'https://json-schema.org/draft/2020-12/schema', title: writer.comment(property) };
      return [property.name, { ...head, ...schema }];
    }),
  );
}

class SchemaWriter {
  /** @type {Map<ts.Type, string>} */
  #names = new Map();
  /** @type {Schema} */
  #definitions = {};
  /** @type {ts.Type[]} */
  #open = [];

  /**
   * @param {ts.TypeChecker} checker
   * @param {ts.SourceFile} source
   */
  constructor(checker, source) {
    this.checker = checker;
    this.source = source;
  }

  /** @param {ts.Type} type */
  root(type) {
    this.#names = new Map();
    this.#definitions = {};
    const schema = this.#of(type);
    return Object.keys(this.#definitions).length > 0 ? { ...schema, $defs: this.#definitions } : schema;
  }

  /** @param {ts.Symbol} symbol */
  comment(symbol) {
    const text = ts.displayPartsToString(symbol.getDocumentationComment(this.checker)).replace(/\s+/g, ' ');
    return text.replace(/\{@link ([^}]+)\}/g, '$1');
  }

  /**
   * @param {ts.Type} type
   * @returns {Schema}
   */
  #of(type) {
    const { flags } = type;
    if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return {};
    if (flags & ts.TypeFlags.Never) return { not: {} };
    if (flags & ts.TypeFlags.Null) return { type: 'null' };
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
    if (flags & ts.TypeFlags.BooleanLiteral) return { const: this.checker.typeToString(type) === 'true' };
    if (flags & ts.TypeFlags.StringLike) return { type: 'string' };
    if (flags & ts.TypeFlags.NumberLike) return { type: 'number' };
    if (flags & ts.TypeFlags.Boolean) return { type: 'boolean' };
    if (type.isUnion()) return this.#union(type.types);
    if (!(flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)))
      throw new Error(`${this.checker.typeToString(type)} is no JSON.`);
    if (this.#open.includes(type)) {
      const name = this.#names.get(type) ?? type.aliasSymbol?.name ?? type.symbol.name;
      this.#names.set(type, name);
      return { $ref: `#/$defs/${name}` };
    }
    this.#open.push(type);
    const schema = this.#object(type);
    this.#open.pop();
    const name = this.#names.get(type);
    if (name === undefined) return schema;
    this.#definitions[name] = schema;
    return { $ref: `#/$defs/${name}` };
  }

  /**
   * @param {ts.Type[]} types
   * @returns {Schema}
   */
  #union(types) {
    const parts = types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined)).map((one) => this.#of(one));
    const unique = [...new Map(parts.map((part) => [JSON.stringify(part), part])).values()];
    const constants = unique.filter((part) => 'const' in part);
    const others = unique.filter((part) => !('const' in part));
    const values = constants.map((part) => part.const);
    if (values.includes(true) && values.includes(false)) {
      others.push({ type: 'boolean' });
      values.splice(0, Infinity, ...values.filter((value) => typeof value !== 'boolean'));
    }
    const all = [
      ...others,
      ...(values.length > 1 ? [{ enum: values.toSorted() }] : values.map((value) => ({ const: value }))),
    ];
    return all.length === 1 ? /** @type {Schema} */ (all[0]) : { anyOf: all };
  }

  /**
   * @param {ts.Type} type
   * @returns {Schema}
   */
  #object(type) {
    if (this.checker.isArrayLikeType(type)) {
      const items = this.checker.getIndexTypeOfType(type, ts.IndexKind.Number);
      return { type: 'array', items: items ? this.#of(items) : {} };
    }
    /** @type {Record<string, Schema>} */
    const properties = {};
    const required = [];
    for (const property of this.checker.getPropertiesOfType(type)) {
      const of = this.checker.getTypeOfSymbolAtLocation(property, this.source);
      const description = this.comment(property);
      const isOptional =
        (property.flags & ts.SymbolFlags.Optional) !== 0 ||
        (of.isUnion() && of.types.some(({ flags }) => flags & ts.TypeFlags.Undefined));
      // Of a union's other members: the property is missing.
      if (of.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Never)) continue;
      properties[property.name] = { ...(description && { description }), ...this.#of(of) };
      if (!isOptional) required.push(property.name);
    }
    const others = this.checker.getIndexTypeOfType(type, ts.IndexKind.String);
    return {
      type: 'object',
      ...(Object.keys(properties).length > 0 && { properties }),
      ...(required.length > 0 && { required }),
      ...(others && { additionalProperties: this.#of(others) }),
    };
  }
}

/**
 * The files of docs/json by name: the schemas, and a page that lists them.
 * @param {Map<string, Schema>} schemas
 */
export function schemaFiles(schemas) {
  const rows = [...schemas].map(([name, { title, type, properties = {} }]) => {
    const fields = Object.keys(/** @type {object} */ (properties)).join(', ');
    const kind = type === 'array' ? 'A list' : fields === '' ? 'One of several objects' : `Fields: ${fields}`;
    return `- [${name}](${name}.json): ${String(title)}. ${kind}`;
  });
  const page = `# JSON of the command

With \`--json\` the command prints JSON that keeps to these schemas (JSON Schema 2020-12). The npm package has them in \`schemas/\`. A later version
may add fields. Tests compare them with the output of every command. \`npm run schemas\` writes this folder.

${rows.join('\n')}
`;
  return new Map([
    ['README.md', page],
    ...[...schemas].map(
      ([name, schema]) => /** @type {const} */ ([`${name}.json`, `${JSON.stringify(schema, undefined, 2)}\n`]),
    ),
  ]);
}
