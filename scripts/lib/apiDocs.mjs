// docs/api: the reference of the package's exports, generated from the comments in the source.
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { format } from 'oxfmt';
import { Application, Logger, LogLevel } from 'typedoc';
import { MarkdownTheme } from 'typedoc-plugin-markdown';
import { root } from './dependencies.mjs';

export const API_DOCS = join(root, 'docs/api');

/** Leaves out text that repeats signatures and links. */
class Theme extends MarkdownTheme {
  /**
   * @override
   * @param {Parameters<MarkdownTheme['getRenderContext']>[0]} page
   */
  getRenderContext(page) {
    const context = super.getRenderContext(page);
    Object.assign(context.partials, { signatureReturns: () => '', inheritance: () => '' });
    return context;
  }
}

class Warnings extends Logger {
  /** @type {string[]} */
  all = [];

  /**
   * @override
   * @param {string} message
   * @param {LogLevel} level
   */
  log(message, level) {
    if (level >= LogLevel.Warn) this.all.push(message);
  }
}

/**
 * The files of the reference by name, and the problems of the comments that it is generated from: public names without a
 * comment, broken links, types that cannot be imported.
 * @returns {Promise<{ files: Map<string, string>, warnings: string[] }>}
 */
export async function makeApiDocs() {
  const app = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown'],
    logLevel: 'Warn',
    tsconfig: join(root, 'tsconfig.types.json'),
    entryPoints: ['src/index.ts', 'src/server/testing.ts'].map((file) => join(root, file)),
    // Another stage checks types; a check here would double the time.
    skipErrorChecking: true,
    readme: 'none',
    name: 'API reference',
    // Line numbers and commits would change with each change of the source.
    disableSources: true,
    disableGit: true,
    excludeExternals: true,
    excludePrivate: true,
    excludeInternal: true,
    sort: ['source-order'],
    // The values are in the type.
    intentionallyNotExported: ['FILTER_FIELDS'],
    validation: { notExported: true, invalidLink: true, notDocumented: true },
    requiredToBeDocumented: ['Class', 'Interface', 'TypeAlias', 'Function', 'Variable', 'Method', 'Accessor'],
    ...{ theme: 'sextant', outputFileStrategy: 'modules', flattenOutputFiles: true, hidePageHeader: true },
    ...{
      hideBreadcrumbs: true,
      hideGroupHeadings: true,
      useCodeBlocks: true,
      expandParameters: true,
      parametersFormat: 'none',
    },
    ...{ interfacePropertiesFormat: 'table', classPropertiesFormat: 'table', typeDeclarationFormat: 'table' },
    ...{ tableColumnSettings: { hideSources: true, hideInherited: true, hideModifiers: true, hideDefaults: true } },
  });
  app.renderer.defineTheme('sextant', Theme);
  const warnings = new Warnings();
  app.logger = warnings;
  const project = await app.convert();
  if (!project) throw new Error(`The reference cannot be made:\n${warnings.all.join('\n')}`);
  app.validate(project);
  const folder = await mkdtemp(join(tmpdir(), 'sextant-docs-'));
  try {
    await app.outputs.writeOutput({ name: 'markdown', path: folder }, project);
    /** @type {Map<string, string>} */
    const files = new Map();
    const { printWidth, singleQuote } = JSON.parse(readFileSync(join(root, '.oxfmtrc.json'), 'utf8'));
    for (const name of readdirSync(folder)) {
      const { code } = await format(name, plain(readFileSync(join(folder, name), 'utf8')), { printWidth, singleQuote });
      files.set(name, code);
    }
    return { files, warnings: warnings.all };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Removes parts that make the text hard to read: anchors of properties, which have no links, and the name of a destructured
 * parameter.
 * @param {string} text
 */
function plain(text) {
  return text
    .replaceAll(/<a id="property-[^"]*"><\/a> /g, '')
    .replaceAll('__namedParameters', 'options')
    .replaceAll(/ +$/gm, '');
}
