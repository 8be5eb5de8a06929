import type { DefinitionKind } from '../../engine/analyze/language.ts';

/** Names of the editor's own icons for kinds of definitions. */
export const SYMBOL_ICONS: Readonly<Record<DefinitionKind, string>> = {
  class: 'symbol-class',
  constant: 'symbol-constant',
  enum: 'symbol-enum',
  extension: 'symbol-class',
  function: 'symbol-function',
  heading: 'symbol-string',
  interface: 'symbol-interface',
  macro: 'symbol-constant',
  method: 'symbol-method',
  module: 'symbol-namespace',
  section: 'symbol-namespace',
  struct: 'symbol-structure',
  type: 'symbol-type-parameter',
  variable: 'symbol-variable',
};
