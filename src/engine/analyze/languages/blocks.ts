// Languages whose blocks end with a word, most of which ignore case.
import { words, type Language } from '../language.ts';

/** The words of a list as they are, in capitals, and with a capital first. */
function anyCase(text: string): string[] {
  return words(text).flatMap((word) => [word, word.toUpperCase(), word[0]!.toUpperCase() + word.slice(1)]);
}

const FORTRAN_TYPE = String.raw`(?:integer|real|complex|logical|character|double\s+precision|type|class)\b(?:\s*\*\s*\d+|\s*\([^()]*(?:\([^()]*\)[^()]*)*\))?\s*`;
const FORTRAN_PREFIX = String.raw`(?:(?:pure|elemental|impure|recursive|module)\s+|${FORTRAN_TYPE})*`;

/** Pattern of components and variables: `real(wp), allocatable :: a(:), b = 1`. */
const FORTRAN_FIELDS: Language['fields'] = {
  pattern: new RegExp(
    String.raw`^\s*${FORTRAN_TYPE}(?:,[^:!'"]*(?::[^:!'"]+)*)?::\s*(?<name>\w+)(?:\s*\([^()]*\))?\s*(?:=[^,!]*)?(?<more>(?:,\s*\w+(?:\([^(),]*\))?\s*(?:=[^,!]*)?)*)`,
    'i',
  ),
  ofModules: true,
};

export const fortran: Language = {
  id: 'fortran',
  extensions: ['f90', 'f95', 'f03', 'f08', 'f18', 'f', 'for', 'f77', 'ftn', 'fpp', 'fypp'],
  ignoresCase: true,
  style: 'end',
  comments: ['!'],
  leaders: anyCase(
    'program module submodule subroutine function interface abstract procedure generic type pure elemental impure recursive integer real ' +
      'complex logical character double precision class block',
  ),
  shapes: [],
  // Without indentation, as in fixed form, the statements of a body stand below its head.
  clauses: /^(?!.*\b(?:function|subroutine)\s+\w+\s*(?:\(|$))(?!\s*end\s*(?:module|interface|program)\b)/i,
  closer: /^\s*end\s*(?:$|!|(?:function|subroutine|procedure|program|type|interface|block\s*data)\b)/i,
  modules: /^\s*end\s*(?:module|submodule)\b/i,
  fields: FORTRAN_FIELDS,
  patterns: [
    [new RegExp(String.raw`^\s*${FORTRAN_PREFIX}(?:function|subroutine)\s+(\w+)`, 'i'), 'function'],
    [/^\s*module\s+(?!procedure\b)(\w+)\s*(?:!.*)?$/i, 'module'],
    [/^\s*module\s+procedure\s+(\w+)\s*(?:!.*)?$/i, 'function'],
    [/^\s*submodule\s*\([^()]*\)\s*(\w+)/i, 'module'],
    [/^\s*program\s+(\w+)/i, 'function'],
    [/^\s*block\s*data\s+(\w+)/i, 'function'],
    [/^\s*(?:abstract\s+)?interface\s+(?!operator\b|assignment\b)(\w+)/i, 'interface'],
    [/^\s*(?:procedure\b|generic\b)[^:!]*::\s*(?!operator\b|assignment\b)(\w+)/i, 'method'],
    [/^\s*type\s*(?:,[^:]*)?::\s*(\w+)/i, 'struct'],
    [/^\s*type\s+(\w+)\s*(?:!.*)?$/i, 'struct'],
    [/^\s*(?:integer|real|complex|logical|character)\b[^!'"]*\bparameter\b[^!'"]*::\s*(\w+)/i, 'constant'],
  ],
};

const PASCAL_PATH = String.raw`(?:\w+\.)*?(?:(?<container>\w+)(?:<[^<>]*>)?\.)?(?<name>\w+)(?![\w.<])`;

export const pascal: Language = {
  id: 'pascal',
  extensions: ['pas', 'dpr', 'lpr', 'dpk'],
  ignoresCase: true,
  style: 'end',
  comments: ['//', '{', '(*'],
  leaders: anyCase(
    'unit program library package procedure function constructor destructor operator class property generic',
  ),
  shapes: ['constant'],
  clauses: /^\s*(?:var|const|type|label|begin|asm|uses|private|protected|public|published|strict)\b/i,
  closer: /^\s*end\b/i,
  fields: {
    pattern:
      /^\s*(?:(?:class\s+)?(?:var|const)\s+|(?:strict\s+)?(?:private|protected|public|published)\s+)?(?<name>\w+)(?<more>(?:\s*,\s*\w+)*)\s*:(?!=)/i,
    inner: /^\s*(?:strict\s+)?(?:private|protected|public|published)\s*$/i,
  },
  patterns: [
    [/^\s*(?:unit|program|library|package)\s+([\w.]+)/i, 'module'],
    [
      new RegExp(
        String.raw`^\s*(?:generic\s+)?(?:class\s+)?(?:procedure|function|constructor|destructor|operator)\s+${PASCAL_PATH}`,
        'i',
      ),
      'function',
    ],
    [/^\s*(?:class\s+)?property\s+(\w+)/i, 'variable'],
    [/^\s*(?:generic\s+)?(\w+)(?:<[^<>]*>)?\s*=\s*(?:class|object|objcclass)\b(?!\s*(?:;|of\b))/i, 'class'],
    [/^\s*(\w+)(?:<[^<>]*>)?\s*=\s*(?:interface|dispinterface)\b(?!\s*;)/i, 'interface'],
    [/^\s*(\w+)(?:<[^<>]*>)?\s*=\s*(?:(?:packed|bitpacked)\s+)?record\b/i, 'struct'],
    [/^\s*(\w+)\s*=\s*\(/, 'enum'],
    [/^\s*([TPEI][A-Z]\w*)(?:<[^<>]*>)?\s*=\s*(?!\s*(?:class|interface)\s*;)/, 'type'],
  ],
};

export const ada: Language = {
  id: 'ada',
  extensions: ['adb', 'ads', 'ada'],
  ignoresCase: true,
  style: 'end',
  comments: ['--'],
  leaders: anyCase('function procedure package type subtype task protected entry overriding not generic separate'),
  shapes: ['constant'],
  clauses: /^\s*(?:is|begin|exception|private|return)\b/i,
  closer: /^\s*end\b/i,
  fields: {
    pattern:
      /^\s*(?:when\b[^:]*=>\s*)?(?<name>\w+)(?<more>(?:\s*,\s*\w+)*)\s*:\s*(?![\s=]|(?:declare|for|loop|while)\b)/i,
    inner: /(?:\brecord|^\s*case\b.*\bis|^\s*when\b.*=>)\s*(?:--.*)?$/i,
    ofModules: true,
  },
  patterns: [
    [/^\s*(?:(?:not\s+)?overriding\s+)?(?:function|procedure)\s+(?:\w+\.)*(\w+|"[^"]+")/i, 'function'],
    [/^\s*package\s+(?:body\s+)?(?:\w+\.)*(\w+)/i, 'module'],
    [/^\s*(?:task|protected)\s+(?:type\s+|body\s+)?(\w+)/i, 'class'],
    [/^\s*entry\s+(\w+)/i, 'method'],
    [/^\s*(?:sub)?type\s+(\w+)/i, 'type'],
    [/^\s*(\w+)\s*:\s*constant\b/i, 'constant'],
  ],
};

const VB_MODIFIERS =
  '(?:(?:Public|Private|Friend|Protected|Shared|Shadows|Overloads|Overrides|Overridable|NotOverridable|MustOverride|' +
  'MustInherit|NotInheritable|Partial|Default|ReadOnly|WriteOnly|Async|Iterator|Static|Declare|Unicode|Ansi|Auto|' +
  'Narrowing|Widening|Custom)\\s+)*';

function visualBasicHead(rest: string): RegExp {
  return new RegExp(String.raw`^\s*${VB_MODIFIERS}${rest}`, 'i');
}

export const visualBasic: Language = {
  id: 'vb',
  extensions: ['vb', 'bas', 'vbs'],
  ignoresCase: true,
  style: 'end',
  comments: ["'"],
  leaders: words(
    'Public Private Friend Protected Shared Shadows Overloads Overrides Overridable NotOverridable MustOverride MustInherit ' +
      'NotInheritable Partial Default ReadOnly WriteOnly Async Iterator Static Declare Unicode Ansi Auto Narrowing Widening ' +
      'Custom Class Structure Type Module Interface Enum Namespace Sub Function Operator Property Get Let Set Delegate Event Const',
  ),
  shapes: [],
  clauses: /^\s*#/,
  head: /^\s*<\w/,
  closer: /^\s*End\s+\w/i,
  patterns: [
    [visualBasicHead(String.raw`Class\s+(\w+)`), 'class'],
    [visualBasicHead(String.raw`(?:Structure|Type)\s+(\w+)`), 'struct'],
    [visualBasicHead(String.raw`Interface\s+(\w+)`), 'interface'],
    [visualBasicHead(String.raw`Enum\s+(\w+)`), 'enum'],
    [visualBasicHead(String.raw`(?:Module|Namespace)\s+([\w.]+)`), 'module'],
    [visualBasicHead(String.raw`Delegate\s+(?:Sub|Function)\s+(\w+)`), 'type'],
    [visualBasicHead(String.raw`(?:Sub|Function|Operator)\s+(\w+)`), 'function'],
    [visualBasicHead(String.raw`Property\s+(?:(?:Get|Let|Set)\s+)?(\w+)`), 'variable'],
    [visualBasicHead(String.raw`Event\s+(\w+)`), 'variable'],
    [visualBasicHead(String.raw`Const\s+(\w+)`), 'constant'],
  ],
};

export const vhdl: Language = {
  id: 'vhdl',
  extensions: ['vhd', 'vhdl'],
  ignoresCase: true,
  style: 'end',
  comments: ['--'],
  leaders: anyCase('entity architecture package function procedure component type subtype constant pure impure'),
  shapes: [],
  clauses: /^\s*(?:is|begin|generic|port|return)\b/i,
  closer: /^\s*end\b/i,
  // Components, ports and generics, signals, and processes; but no other statement with a label.
  fields: {
    pattern:
      /^\s*(?:(?:generic|port)\s*\(\s*)?(?:(?:signal|file|shared\s+variable)\s+)?(?<name>\w+)(?<more>(?:\s*,\s*\w+)*)\s*:\s*(?:process\b|(?!\s|(?:entity|component|configuration|assert|for|if|case|with|block|postponed)\b|.*<=|.*\bmap\b)(?:(?:in|out|inout|buffer|linkage|natural|positive|integer|boolean|string|time|std_\w+)\b|.*(?:;|:=)))/i,
    inner: /^\s*(?:generic|port)\s*\(/i,
    ofModules: true,
  },
  patterns: [
    [/^\s*entity\s+(\w+)\s+is\b/i, 'class'],
    [/^\s*architecture\s+(?<name>\w+)\s+of\s+(?<container>\w+)/i, 'extension'],
    [/^\s*package\s+(?:body\s+)?(\w+)\s+is\b/i, 'module'],
    [/^\s*(?:pure\s+|impure\s+)?(?:function|procedure)\s+(\w+|"[^"]+")/i, 'function'],
    [/^\s*component\s+(\w+)/i, 'interface'],
    [/^\s*type\s+(\w+)/i, 'type'],
    [/^\s*subtype\s+(\w+)/i, 'type'],
    [/^\s*constant\s+(\w+)/i, 'constant'],
  ],
};

/** Pattern of ports, nets, variables and members: a type of any words, then names. */
const VERILOG_FIELDS: Language['fields'] = {
  pattern:
    /^\s*(?:,\s*)?(?=\w)(?=(?:input|output|inout|ref)\b|.*[;=])(?!(?:always\w*|assign|assert|cover|defparam|disable|else|end\w*|export|extends|final|force|genvar|if|import|initial|release|return|typedef|wait)\b)(?:[\w:.$]+(?:\s+|(?=\[))|\[[^\]]*\]\s*)+?(?<name>[a-zA-Z_]\w*)\s*(?:\[[^\]]*\]\s*)*(?<more>(?:,\s*\w+\s*(?=[,;=[]|$))*)(?:[,;=)]|\/|$)/,
  ofModules: true,
};

/** Verilog and SystemVerilog. */
export const verilog: Language = {
  id: 'verilog',
  extensions: ['v', 'vh', 'sv', 'svh'],
  style: 'end',
  comments: ['//', '/*'],
  leaders: words(
    'module macromodule interface package program primitive class virtual function task extern pure static protected local ' +
      'automatic import export typedef parameter localparam define checker',
  ),
  shapes: [],
  closer: /^\s*end(?:function|task|class)\b/,
  modules: /^\s*end(?:module|interface|package|program|primitive|checker)\b/,
  clauses: /^\s*\)/,
  fields: VERILOG_FIELDS,
  patterns: [
    [
      /^\s*(?:module|macromodule|interface|package|program|primitive|checker)\s+(?:(?:automatic|static)\s+)?(?!class\b)(\w+)/,
      'module',
    ],
    [/^\s*(?:virtual\s+)?(?:interface\s+)?class\s+(?:automatic\s+)?(\w+)/, 'class'],
    [
      /^\s*(?:(?:extern|virtual|pure|static|protected|local|import|export)\s+(?:"[^"]*"\s+)?)*(?:function|task)\s+(?:[^();]*?[\s\]])?(?:(?<container>\w+)::)?(?<name>\w+)\s*(?:[(;]|$)/,
      'function',
    ],
    [/^\s*typedef\s+(?<late>)enum\b(?!.*\}\s*\w)/, 'enum'],
    [/^\s*typedef\s+(?<late>)(?:struct|union)\b(?!.*\}\s*\w)/, 'struct'],
    [/^\s*typedef\s+.*?(\w+)\s*(?:\[[^\]]*\]\s*)*;/, 'type'],
    [/^\s*(?:parameter|localparam)\s+(?:[^=;]*?[\s\]])?(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=|$)/, 'constant'],
    [/^\s*`define\s+(\w+)/, 'macro'],
  ],
};

/** MATLAB and Octave. */
export const matlab: Language = {
  id: 'matlab',
  extensions: ['m'],
  interpreters: ['octave'],
  style: 'end',
  comments: ['%'],
  leaders: words('function classdef'),
  shapes: [],
  // A function may end without a word, before the next one.
  clauses: /^(?!\s*(?:function|classdef)\b)/,
  closer: /^\s*end(?:function|classdef)?\s*(?:[%;#]|$)/,
  patterns: [
    [/^\s*function\s+(?:(?:\[[^\]]*\]|\w+)\s*=\s*)?(?:[gs]et\.)?(\w+)/, 'function'],
    [/^\s*classdef\s*(?:\([^()]*\)\s*)?(\w+)/, 'class'],
  ],
};

export const vim: Language = {
  id: 'vim',
  extensions: ['vim'],
  fileNames: ['.vimrc', '_vimrc', '.gvimrc'],
  style: 'end',
  comments: ['"'],
  leaders: words('function func fu def export command com class augroup'),
  shapes: [],
  closer: /^\s*end(?:f\w*|def|class)\b/,
  patterns: [
    [/^\s*(?:fu|func|function)!?\s+(?:[sgl]:|<SID>)?([\w#.]+)\s*\(/, 'function'],
    [/^\s*(?:export\s+)?def!?\s+(?:[sg]:)?([\w#.]+)\s*\(/, 'function'],
    [/^\s*(?:export\s+)?class\s+(\w+)/, 'class'],
    [/^\s*com(?:mand)?!?\s+(?:-\S+\s+)*(\w+)/, 'function'],
  ],
};

/** The language of 1C:Enterprise. */
export const bsl: Language = {
  id: 'bsl',
  extensions: ['bsl', 'os'],
  ignoresCase: true,
  style: 'end',
  // Bodies may stand at the left edge, as after `#If`.
  clauses: /^(?!\s*(?:(?:Асинх|Async)\s+)?(?:Процедура|Функция|Procedure|Function)\s)/i,
  closer: /^\s*(?:КонецПроцедуры|КонецФункции|EndProcedure|EndFunction)/i,
  head: /^\s*&/,
  comments: ['//'],
  leaders: anyCase('процедура функция перем асинх procedure function var async'),
  shapes: [],
  patterns: [
    [/^\s*(?:(?:Асинх|Async)\s+)?(?:Процедура|Функция|Procedure|Function)\s+(\w+)/i, 'function'],
    [/^(?:Перем|Var)\s+(\w+)/i, 'variable'],
  ],
};

export const abap: Language = {
  id: 'abap',
  extensions: ['abap'],
  ignoresCase: true,
  style: 'end',
  clauses: /^(?!\s*(?:form|function|class|interface)\s+\w)/i,
  closer: /^\s*end(?:form|method|function|module|class|interface)\b/i,
  // A report has all lines of its file.
  modules: /(?!)/,
  comments: ['"'],
  leaders: anyCase('form method function module class interface report'),
  shapes: [],
  patterns: [
    [/^\s*(?:form|method|function|module)\s+([\w~/]+)/i, 'function'],
    [/^\s*class\s+([\w/]+)\s+(?:definition(?!\s+(?:deferred|load))|implementation)\b/i, 'class'],
    [/^\s*interface\s+([\w/]+)\s*\./i, 'interface'],
    [/^\s*report\s+([\w/]+)/i, 'module'],
  ],
};
