import type { PlaceFeature } from '../../../src/engine/query/placeFeatures.ts';

/** Features of places by group, with the groups' names in docs/ranking.md. */
export const PLACE_GROUPS: Readonly<Record<string, readonly PlaceFeature[]>> = {
  'words of the name': ['name', 'nameExplained', 'nameBoth', 'nameEarly', 'nameFirst', 'nameAll', 'nameWords', 'asked'],
  'words around the name': ['container', 'member', 'nameBeyondPath', 'nameInPath', 'chunkDefined', 'together'],
  'text of the chunk': ['text', 'inside', 'coverage', 'coverageEarly'],
  comments: ['comment'],
  size: ['tokens', 'lines', 'oneLine', 'part', 'head'],
  kind: ['function', 'type', 'extension', 'constant', 'heading', 'unnamed', 'imports', 'test', 'underscore'],
};
