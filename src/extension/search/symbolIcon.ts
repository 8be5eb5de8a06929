import * as vscode from 'vscode';
import type { DefinitionKind } from '../../engine/analyze/language.ts';

const ICONS: Readonly<Record<DefinitionKind, string>> = {
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
  struct: 'symbol-structure',
  type: 'symbol-type-parameter',
  variable: 'symbol-variable',
};

/** The editor's own icon for a kind of definition. */
export function symbolIcon(kind: DefinitionKind): vscode.ThemeIcon {
  return new vscode.ThemeIcon(ICONS[kind]);
}
