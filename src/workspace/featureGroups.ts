/** Features that are of one kind, by what the kind is called in docs/ranking.md. */
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'text of the document': ['body', 'spread', 'density', 'coverage', 'length'],
  'best chunks': ['best', 'top3', 'top8'],
  comments: ['comment', 'head', 'bestComment'],
  'file name': ['name', 'nameExplained', 'nameBoth', 'nameEarly', 'nameWords'],
  folders: ['folder', 'lastFolder', 'folderRare', 'path', 'depth', 'packageShare', 'neighbours', 'neighbourhood'],
  'words of definitions': ['defined', 'definedEarly', 'definitions', 'definitionDensity', 'chunkDefined', 'chunkBoth'],
  'best definition': ['definition', 'topDefinition', 'typeDefinition', 'definitionDepth', 'definitionShare'],
  'names asked for': ['symbol', 'symbolType', 'symbolTop', 'symbolFile', 'symbolWord', 'symbolUse', 'symbolRare'],
  'neighbours as one name': ['pair', 'pairDefined', 'pairFile'],
  'kind of file': ['test', 'testAsked', 'testFolder', 'example', 'vendor', 'internal', 'compat', 'plainName', 'header'],
  'references and language': ['references', 'languageShare', 'definitionTotal'],
};

const groupOf = new Map(Object.entries(GROUPS).flatMap(([group, features]) => features.map((one) => [one, group])));

/** What kind a feature is of, a relative one (`body/max`) that of its own; what is of none is a kind by itself. */
export function featureGroup(feature: string): string {
  return groupOf.get(feature.replace(/\/max$/, '')) ?? OWN_GROUPS[feature] ?? feature;
}

/** No weight is fitted for it: a file that has the one name asked for goes before all that have not. */
const OWN_GROUPS: Readonly<Record<string, string>> = {
  hasName: 'has the name asked for',
  spelt: 'defines it as it was typed',
};
