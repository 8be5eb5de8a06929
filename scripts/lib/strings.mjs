// The strings of the editor's interface, ready for translation: package.nls.json has those of package.json,
// l10n/bundle.l10n.json those of the source. A translation is a file beside each, such as package.nls.de.json.
import { readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { getL10nJson } from '@vscode/l10n-dev';
import { root } from './dependencies.mjs';

/** @typedef {Record<string, string>} Owner an object with a string property */

/**
 * A setting; one whose values are objects describes their properties.
 * @typedef {Owner & {
 *   enum?: string[],
 *   enumDescriptions?: Owner,
 *   additionalProperties?: { oneOf?: { properties: Record<string, Owner> }[] },
 * }} Setting
 */

/**
 * The part of package.json that is read here.
 * @typedef {object} Manifest
 * @property {Record<string, Owner>} capabilities
 * @property {object} contributes
 * @property {(Owner & { command: string })[]} contributes.commands
 * @property {Record<string, (Owner & { id: string })[]>} contributes.views
 * @property {(Owner & { view: string })[]} contributes.viewsWelcome
 * @property {{ activitybar: (Owner & { id: string })[] }} contributes.viewsContainers
 * @property {(Owner & { properties: Record<string, Setting> })[]} contributes.configuration
 * @property {(Owner & { commands: Owner[] })[]} contributes.chatParticipants
 * @property {Owner[]} contributes.languageModelTools
 * @property {(Owner & { steps: (Owner & { media: Owner })[] })[]} contributes.walkthroughs
 */

/**
 * What people read of a manifest: the object that has it, the property, and its key in package.nls.json. Left alone are name and
 * description of the package, which npm shows too, our name, and `modelDescription`, which a model reads.
 * @param {Manifest} manifest
 * @returns {Generator<{ owner: Record<string, string>, property: string, key: string }>}
 */
export function* readByPeople({ capabilities, contributes }) {
  for (const [name, owner] of Object.entries(capabilities))
    yield { owner, property: 'description', key: `capability.${name}` };
  for (const owner of contributes.commands) yield { owner, property: 'title', key: `command.${short(owner.command)}` };
  for (const owner of Object.values(contributes.views).flat())
    yield { owner, property: 'name', key: `view.${short(owner.id)}` };
  /** @type {Map<string, number>} */
  const welcomes = new Map();
  for (const owner of contributes.viewsWelcome) {
    const number = (welcomes.get(owner.view) ?? 0) + 1;
    welcomes.set(owner.view, number);
    yield { owner, property: 'contents', key: `welcome.${short(owner.view)}${number === 1 ? '' : `.${number}`}` };
  }
  // The first container has our name.
  for (const owner of contributes.viewsContainers.activitybar.slice(1))
    yield { owner, property: 'title', key: `container.${owner.id}` };
  for (const group of contributes.configuration) {
    const [first = ''] = Object.keys(group.properties);
    yield { owner: group, property: 'title', key: `settings.${short(first).split('.')[0]}` };
  }
  for (const [id, owner] of contributes.configuration.flatMap(({ properties }) => Object.entries(properties))) {
    const key = `setting.${short(id)}`;
    yield { owner, property: 'markdownDescription', key };
    const { enum: values = [], enumDescriptions = {} } = owner;
    for (const [i, value] of values.entries())
      yield { owner: enumDescriptions, property: String(i), key: `${key}.${value}` };
    for (const { properties } of owner.additionalProperties?.oneOf ?? [])
      for (const [name, part] of Object.entries(properties))
        yield { owner: part, property: 'description', key: `${key}.${name}` };
  }
  for (const owner of contributes.chatParticipants) {
    yield { owner, property: 'description', key: `chat.${owner.name}` };
    for (const command of owner.commands)
      yield { owner: command, property: 'description', key: `chat.${owner.name}.${command.name}` };
  }
  for (const owner of contributes.languageModelTools)
    for (const property of ['displayName', 'userDescription'])
      yield { owner, property, key: `tool.${owner.toolReferenceName}.${property}` };
  for (const guide of contributes.walkthroughs) {
    const key = `walkthrough.${guide.id}`;
    for (const property of ['title', 'description']) yield { owner: guide, property, key: `${key}.${property}` };
    for (const step of guide.steps) {
      for (const property of ['title', 'description'])
        yield { owner: step, property, key: `${key}.${step.id}.${property}` };
      yield { owner: step.media, property: 'altText', key: `${key}.${step.id}.altText` };
    }
  }
}

/**
 * Moves the texts of a manifest to its strings, and drops unused strings.
 * @param {Manifest} manifest
 * @param {Record<string, string>} known
 */
export function moveStrings(manifest, known) {
  const moved = structuredClone(manifest);
  /** @type {Record<string, string>} */
  const strings = {};
  for (const { owner, property, key } of readByPeople(moved)) {
    const text = owner[property] ?? '';
    // An insertion may have changed the key of a later one.
    strings[key] = known[/^%(.+)%$/.exec(text)?.[1] ?? ''] ?? text;
    owner[property] = `%${key}%`;
  }
  return { manifest: moved, strings };
}

/** The sorted strings of `l10n.t` in the extension, its pages, and what the command shares with them. */
export async function exportBundle() {
  const files = ['src', 'webview'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const sources = files.filter((file) => /\.tsx?$/.test(file) && !/\.(test|d)\.ts$/.test(file));
  /** @type {Record<string, string>} */
  const texts = {};
  for (const file of sources) {
    const contents = readFileSync(join(root, file), 'utf8');
    if (contents.includes('l10n')) texts[extname(file)] = `${texts[extname(file)] ?? ''}${contents}\n`;
  }
  const bundle = await getL10nJson(
    Object.entries(texts).map(([extension, contents]) => ({ extension, contents: importOnce(contents) })),
  );
  return Object.fromEntries(Object.entries(bundle).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Removes repeated lines of import. The parser looks through a whole text once for each import of `l10n`, and sets up for each
 * text: files parsed one by one took twenty times as long.
 * @param {string} source the text of several files
 */
function importOnce(source) {
  const seen = new Set();
  const isFirst = (/** @type {string} */ line) => !seen.has(line) && seen.add(line);
  return source
    .split('\n')
    .filter((line) => !/^import .*;$/.test(line) || isFirst(line))
    .join('\n');
}

/** @param {string} id */
function short(id) {
  return id.replace(/^sextant\./, '');
}
