// Languages for one purpose each: interfaces, tests, hardware, proofs, models.
import { words, type DefinitionKind, type Language } from '../language.ts';
import { python } from './scripts.ts';

/** A language of blocks in braces, each with a word that says its kind before its name; `functions` have no such word. */
function blocks(
  id: string,
  extensions: string,
  kinds: Readonly<Partial<Record<DefinitionKind, string>>>,
  functions?: RegExp,
): Language {
  const before = 'public abstract export native entry inline';
  return {
    id,
    extensions: words(extensions),
    style: 'brace',
    comments: id === 'capnp' || id === 'wdl' ? ['#'] : ['//', '/*'],
    attributes: '@',
    leaders: [...words(before), ...Object.values(kinds).flatMap((some) => some.split(' '))],
    shapes: functions ? ['any'] : [],
    patterns: [
      ...Object.entries(kinds).map(
        ([kind, some]) =>
          [
            new RegExp(
              String.raw`^\s*(?:(?:${before.replaceAll(' ', '|')})(?:\([^)]*\))?\s+)*(?:${some.replaceAll(' ', '|')})\s+(?:\w+::)*%?([\w$-]+)`,
            ),
            kind as DefinitionKind,
          ] as const,
      ),
      ...(functions ? [[functions, 'function'] as const] : []),
    ],
  };
}

export const flatbuffers = blocks('flatbuffers', 'fbs', { struct: 'table struct union', enum: 'enum', interface: 'rpc_service' }); // oxfmt-ignore
export const capnp = blocks('capnp', 'capnp', { struct: 'struct', enum: 'enum', interface: 'interface', constant: 'const annotation' }, /^\s*(\w+)\s+@\d+\s*[[(]/); // oxfmt-ignore
export const smithy = blocks('smithy', 'smithy', {
  struct: 'structure union list map resource',
  enum: 'enum intEnum',
  interface: 'service',
  function: 'operation',
  type: 'string integer long boolean blob timestamp document double float apply',
});
export const avro = blocks('avro', 'avdl', { struct: 'record error fixed', enum: 'enum', interface: 'protocol' });
export const wit = blocks('wit', 'wit', { struct: 'record variant flags resource', enum: 'enum', interface: 'interface', module: 'world', type: 'type' }, /^\s*%?([\w-]+)\s*:\s*(?:(?:static|async)\s+)*func\b/); // oxfmt-ignore
export const wdl = blocks('wdl', 'wdl', { function: 'task workflow', struct: 'struct' });
export const move = blocks('move', 'move', { module: 'module', struct: 'struct enum', function: 'fun macro', constant: 'const' }); // oxfmt-ignore
export const openscad = blocks('openscad', 'scad', { function: 'module function' });

export const dts: Language = {
  id: 'dts',
  extensions: ['dts', 'dtsi'],
  style: 'brace',
  comments: ['//', '/*'],
  leaders: [],
  shapes: ['any'],
  patterns: [
    [/^#\s*define\s+(\w+)/, 'macro'],
    [/^\s*&(\w+)\s*\{/, 'extension'],
    [/^\s*(?:\w+:\s*)*?(\w+):\s*[\w,.+-]+(?:@[\w,]+)?\s*\{/, 'section'],
    [/^\s*([\w,.+-]+)(?:@[\w,]+)?\s*\{\s*$/, 'section'],
  ],
};

export const gherkin: Language = {
  id: 'gherkin',
  extensions: ['feature'],
  style: 'label',
  comments: ['#'],
  leaders: [],
  shapes: ['any'],
  patterns: [
    [
      /^\s*(?:Feature|Rule|Background|Scenario(?: Outline| Template)?|Example|Fonctionnalité|Scénario|Plan du scénario|Funktionalität|Szenario(?:grundriss)?|Característica|Escenario|Funcionalidade|Cenário|Funzionalità|Функция|Функционал|Функциональность|Сценарий|Структура сценария|機能|シナリオ|功能|场景):\s*(\S.*?)\s*$/,
      'section',
    ],
  ],
};

export const robot: Language = {
  id: 'robot',
  extensions: ['robot', 'resource'],
  style: 'indent',
  comments: ['#'],
  leaders: [],
  shapes: ['any'],
  patterns: [
    [/^[$@&]\{([^{}]+)\}(?:\s*=)?(?: {2}|\t)/, 'variable'],
    // A name has no two spaces in a row; a setting has them before its value.
    [/^([^\s*#$@&.|]\S*(?: \S+)*)\s*$/, 'function'],
  ],
};

export const qml: Language = {
  id: 'qml',
  extensions: ['qml'],
  isNamedByFile: true,
  style: 'brace',
  comments: ['//', '/*'],
  leaders: words('property readonly required default signal function id component enum'),
  shapes: [],
  patterns: [
    [/^\s*function\s+(\w+)/, 'function'],
    [/^\s*component\s+(\w+)\s*:/, 'class'],
    [/^\s*enum\s+(\w+)/, 'enum'],
    [/^\s*signal\s+(\w+)/, 'method'],
    [/^\s*(?:(?:readonly|required|default)\s+)*property\s+[\w.<>]+\s+(\w+)/, 'variable'],
    [/^\s*id\s*:\s*(\w+)\s*;?\s*$/, 'variable'],
  ],
};

export const lean: Language = {
  id: 'lean',
  extensions: ['lean'],
  style: 'indent',
  comments: ['--', '/-'],
  attributes: '@',
  leaders: words(
    'theorem lemma def abbrev structure inductive class instance axiom opaque private protected noncomputable partial unsafe macro syntax',
  ),
  shapes: ['sign'],
  patterns: (
    [
      ['theorem|lemma|axiom|def|abbrev|opaque', 'function'],
      ['structure', 'struct'],
      ['inductive|class inductive', 'enum'],
      ['class', 'interface'],
      ['instance', 'constant'],
    ] as const
  ).map(([some, kind]) => [
    new RegExp(
      String.raw`^(?:@\[[^\]]*\]\s*)*(?:(?:private|protected|noncomputable|partial|unsafe|scoped|local)\s+)*(?:${some})\s+(?!:)([\w.'!?«»]+)`,
    ),
    kind,
  ]),
};

export const jsonnet: Language = {
  id: 'jsonnet',
  extensions: ['jsonnet', 'libsonnet'],
  style: 'brace',
  comments: ['//', '/*', '#'],
  leaders: [],
  shapes: ['any'],
  patterns: [
    [/^\s*(?:local\s+)?(\w+)\s*\([^()]*\)\s*(?::{1,3}|=)/, 'function'],
    [/^\s*(?:local\s+)?(\w+)\s*(?:\+?:{1,3}|=)\s*function\b/, 'function'],
    [/^\s*local\s+(\w+)\s*=/, 'variable'],
    [/^\s{0,4}['"]?([\w.-]+)['"]?\s*\+?:{1,3}.*[{[(]\s*$/, 'variable'],
  ],
};

export const meson: Language = {
  id: 'meson',
  extensions: [],
  fileNames: ['meson.build', 'meson_options.txt', 'meson.options'],
  style: 'brace',
  comments: ['#'],
  leaders: words('option project executable library shared_library static_library custom_target'),
  shapes: ['column0'],
  patterns: [
    [/^(?:option|project|executable|(?:shared_|static_)?library|custom_target)\s*\(\s*'([^']+)'/, 'function'],
    [/^(\w+)\s*\+?=(?!=)/, 'variable'],
  ],
};

export const snakemake: Language = {
  ...python,
  id: 'snakemake',
  extensions: ['smk'],
  fileNames: ['Snakefile'],
  leaders: [...python.leaders, 'rule', 'checkpoint'],
  patterns: [[/^\s*(?:rule|checkpoint)\s+(\w+)/, 'function'], ...python.patterns],
};

export const m4: Language = {
  id: 'm4',
  extensions: ['m4', 'ac'],
  style: 'label',
  comments: ['#', 'dnl'],
  leaders: [],
  shapes: ['any'],
  patterns: [[/^\s*(?:A[CU]_DEFUN(?:_ONCE)?|m4_define(?:_default)?|define)\(\s*[[`]?(\w+)/, 'macro']],
};
