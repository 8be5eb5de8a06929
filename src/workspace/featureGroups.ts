import { GROUPED_FEATURES } from '../engine/query/features.ts';

const groupOf: ReadonlyMap<string, string> = new Map(
  GROUPED_FEATURES.flatMap(([group, ...features]) => features.map((one) => [one, group] as const)),
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
  locale: 'is in the queried language',
  manifest: 'builds the queried package',
  version: 'states the queried version',
  section: 'has a section about it',
  place: 'its best place',
};
