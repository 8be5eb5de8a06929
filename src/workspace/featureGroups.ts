/** Features by group, with the groups' names in docs/ranking.md. */
export const FEATURE_GROUPS: Readonly<Record<string, readonly string[]>> = {
  'text of the document': ['body', 'spread', 'density', 'coverage', 'length'],
  'best chunks': ['best', 'top3', 'top8'],
  comments: ['comment', 'head', 'bestComment'],
  'file name': ['name', 'nameExplained', 'nameBoth', 'nameEarly', 'nameWords'],
  folders: ['folder', 'lastFolder', 'folderRare', 'path', 'depth', 'packageShare', 'neighbours', 'neighbourhood'],
  'words of definitions': ['defined', 'definedEarly', 'definitions', 'definitionDensity', 'chunkDefined', 'chunkBoth'],
  'best definition': ['definition', 'topDefinition', 'typeDefinition', 'definitionDepth', 'definitionShare'],
  'queried names': ['symbol', 'symbolType', 'symbolTop', 'symbolFile', 'symbolWord', 'symbolUse', 'symbolRare'],
  'neighbours as one name': ['pair', 'pairDefined', 'pairFile'],
  'kind of file': [
    'test',
    'testAsked',
    'testFolder',
    'example',
    'vendor',
    'internal',
    'compat',
    'plainName',
    'header',
    'prose',
    'data',
    'built',
    'history',
    'tooling',
  ],
  'references and language': ['references', 'languageShare', 'definitionTotal'],
};

const groupOf = new Map(
  Object.entries(FEATURE_GROUPS).flatMap(([group, features]) => features.map((one) => [one, group])),
);

/** Group of a feature. A relative one (`body/max`) has the group of its base; a feature without a group is its own. */
export function featureGroup(feature: string): string {
  return groupOf.get(feature.replace(/\/max$/, '')) ?? OWN_GROUPS[feature] ?? feature;
}

/** Groups of rules without a fitted weight. A file that meets one ranks above all others, but for its place. */
const OWN_GROUPS: Readonly<Record<string, string>> = {
  hasName: 'has the queried name',
  spelt: 'defines it as typed',
  beginsName: 'defines a name that begins so',
  namePart: 'defines a name with this part',
  pathPart: 'has this part of a path',
  verbatim: 'has the words as typed',
  key: 'has the option or setting',
  location: 'is the pasted location',
  place: 'its best place',
};
