import { findDeclared } from './declarations.ts';
import { findFilled } from './filledMessage.ts';
import { findHowTo } from './howTo.ts';
import { findManifests } from './manifests.ts';
import { findPartsOfNames } from './partsOfNames.ts';
import { isRepeated, type Pinned, type PinRequest, type PinRule } from './pinned.ts';
import { findVersions } from './statedVersion.ts';
import { findTranslations } from './translations.ts';
import { findKeys } from './typedKeys.ts';
import { findPaths } from './typedPaths.ts';
import { findTyped } from './typedText.ts';

const RULES: readonly PinRule[] = [
  findVersions,
  findManifests,
  findPaths,
  findKeys,
  findDeclared,
  findTranslations,
  findHowTo,
  findPartsOfNames,
  findText,
];

/** The documents that come before all others: those of the first rule that finds any. */
export function* findPinned(request: PinRequest): ReturnType<PinRule> {
  for (const rule of RULES) {
    const found = yield* rule(request);
    if (found.length > 0) return found;
  }
  return [];
}

/** The documents with the typed text; those with the string that gives it before the tests and pages that quote it. */
function* findText(request: PinRequest): Generator<undefined, readonly Pinned[], void> {
  const { name, likeRegex, isAside } = request;
  // A defined name is searched for its definition, not for its uses.
  if (name === 'defined' && !likeRegex) return [];
  const found = yield* findTyped(request);
  if (likeRegex || found.some((one) => !isRepeated(one, isAside))) return found;
  return [...(yield* findFilled(request)), ...found];
}
