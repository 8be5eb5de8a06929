import { ALL_LANGUAGES } from '../analyze/languages.ts';
import { compileGlob, isGlob } from './glob.ts';
import { editDistance } from './similar.ts';

/** Common names of languages besides their id, extensions and interpreters. Objective-C and CUDA are read as C++. */
const ALIASES: Readonly<Record<string, string>> = {
  '1c': 'bsl',
  assembler: 'asm',
  assembly: 'asm',
  batch: 'bat',
  'c#': 'csharp',
  clojurescript: 'clojure',
  cuda: 'cpp',
  cucumber: 'gherkin',
  delphi: 'pascal',
  devicetree: 'dts',
  docker: 'dockerfile',
  dotnet: 'csharp',
  'f#': 'fsharp',
  glsl: 'cpp',
  golang: 'go',
  hlsl: 'cpp',
  latex: 'tex',
  make: 'makefile',
  objc: 'cpp',
  'objective-c': 'cpp',
  octave: 'matlab',
  protobuf: 'proto',
  pwsh: 'powershell',
  rst: 'restructuredtext',
  salesforce: 'apex',
  shell: 'shellscript',
  systemverilog: 'verilog',
  text: 'plaintext',
  vba: 'vb',
  viml: 'vim',
  vimscript: 'vim',
  'visual basic': 'vb',
};

const idOf = new Map<string, string>();
for (const { id, extensions, interpreters = [] } of ALL_LANGUAGES.toReversed()) {
  for (const name of [...interpreters, ...extensions]) idOf.set(name.toLowerCase(), id);
}
for (const [name, id] of Object.entries(ALIASES)) idOf.set(name, id);
for (const { id } of ALL_LANGUAGES) idOf.set(id, id);

/**
 * The ids of the languages with a name, ignoring case. The name is an id, a common other name, an extension with or
 * without its dot, or a glob of ids such as `*script`. Empty if there is none.
 */
export function languagesNamed(name: string): ReadonlySet<string> {
  if (isGlob(name)) {
    const matches = compileGlob(name);
    return new Set(ALL_LANGUAGES.map(({ id }) => id).filter(matches));
  }
  const id = idOf.get(name.toLowerCase().replace(/^\./, ''));
  return new Set(id === undefined ? [] : [id]);
}

const MAX_SIMILAR = 3;

/** Names of languages that `name` may be a misspelling or a beginning of, likeliest first. */
export function similarLanguages(name: string): string[] {
  const typed = name.toLowerCase();
  const allowed = typed.length < 3 ? 0 : typed.length < 6 ? 1 : 2;
  const ranked: { readonly known: string; readonly distance: number }[] = [];
  for (const known of [...ALL_LANGUAGES.map(({ id }) => id), ...Object.keys(ALIASES)]) {
    const distance = known.startsWith(typed) ? 0 : editDistance(typed, known, allowed);
    if (distance <= allowed) ranked.push({ known, distance });
  }
  ranked.sort((a, b) => a.distance - b.distance || a.known.length - b.known.length);
  return ranked.slice(0, MAX_SIMILAR).map(({ known }) => known);
}
