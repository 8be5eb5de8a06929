// Brings the repositories that the questions of bench:ask are about: those of bench:typed, and packages of bench:places.
import { join } from 'node:path';
import { bringPlaces } from './places.mjs';
import { say, step } from './say.mjs';
import { bringTyped, typedFolder } from './typedRepositories.mjs';

/**
 * Those of the named repositories that can be brought.
 * @param {readonly string[]} names
 */
export async function bringAsked(names) {
  const repositories = [];
  for (const name of names) {
    const root = await bring(name);
    if (root !== undefined) repositories.push({ name, root });
  }
  if (repositories.length < names.length) say(`${names.length - repositories.length} repositories are left out.`);
  return repositories;
}

/** @param {string} name */
async function bring(name) {
  const { REPOSITORIES } = await import('../../test/bench/typed/repositories.ts');
  const { placePackages } = await import('../../test/bench/places/packages.ts');
  const typed = REPOSITORIES.find((one) => one.name === name);
  if (typed) return (await bringTyped(typed)) ? join(typedFolder, 'repositories', name) : undefined;
  const [found] = await step(`Bringing ${name}`, () => bringPlaces(placePackages().filter((one) => one.name === name)));
  return found?.root;
}
