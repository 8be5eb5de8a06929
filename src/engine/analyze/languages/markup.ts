// Pages, and templates of pages and other text.
import { words, type Language } from '../language.ts';

const NAME = String.raw`["']?:?([\w.$:-]*\w)`;
/** The beginning of a part, in all kinds of templates. */
const OPEN = String.raw`^\s*(?:\{%[-~+]?|\{\{[-~]?|<%[-=]?|<[#%]|\{)\s*`;
/** The end of an element, or of a part of a template. */
const CLOSER = /^\s*(?:<\/|<%-?\s*end\b|\{%[-~+]?\s*end|\{\{[-~]?\s*(?:end\b|\/)|\{\/)/;

/** Elements with a name, and parts for use elsewhere. */
const PATTERNS: Language['patterns'] = [
  [/^\s*<h[1-6]\b[^<>]*>\s*(?:<\w[^<>]*>\s*)*([^<>{}%$@\s][^<>{}%$@]*?)\s*</i, 'heading'],
  [new RegExp(String.raw`${OPEN}(?:macro|define|function|def)\s+(?:name=)?${NAME}`), 'function'],
  [new RegExp(String.raw`${OPEN}#\*inline\s+${NAME}`), 'function'],
  [new RegExp(String.raw`${OPEN}content_for\b\s*\(?\s*${NAME}`), 'function'],
  [/^\s*(?:async\s+)?function\s+(\w+)\s*\(/, 'function'],
  [
    /^\s*(?:public|private|protected|internal)\s+(?:(?:static|async|override|virtual)\s+)*[\w<>[\],.?]+\s+(\w+)\s*\(/,
    'method',
  ],
  [/^\s*(?:<\w(?:"[^"]*"|'[^']*'|[^>"'])*\s)?(?:id|x:Name|x:Key)=["']([A-Za-z_][\w.:-]*)["']/, 'variable'],
];

function markup(id: string, extensions: string): Language {
  return {
    id,
    extensions: words(extensions),
    isNamedByFile: true,
    style: 'end',
    comments: [],
    leaders: words('id x async function public private protected internal'),
    shapes: ['sign'],
    closer: CLOSER,
    clauses: /^\s*\{\s*$/,
    patterns: PATTERNS,
  };
}

/** A language that shows by indentation what is within an element. */
function indented(id: string, extensions: string): Language {
  return {
    id,
    extensions: words(extensions),
    isNamedByFile: true,
    style: 'indent',
    comments: [],
    leaders: words('mixin h1 h2 h3 h4 h5 h6 a button dialog div fieldset form input nav section select table ul'),
    shapes: ['sign'],
    patterns: [
      [/^\s*mixin\s+([\w-]+)/, 'function'],
      [/^\s*%?h[1-6](?:[.#({]\S*)?\s+([^=#{}|\s][^#{}]*?)\s*$/, 'heading'],
      [/^\s*[%.\w-]*#([A-Za-z_][\w-]*)/, 'variable'],
    ],
  };
}

/** Languages of tags. */
export const PAGES: readonly Language[] = [
  markup('aspx', 'aspx ascx master'),
  markup('eex', 'eex leex'),
  markup('ejs', 'ejs'),
  markup('erb', 'erb rhtml'),
  markup('handlebars', 'hbs handlebars mustache'),
  markup('html', 'html htm xhtml'),
  markup('jinja', 'j2 jinja jinja2 njk'),
  markup('jsp', 'jsp jspf jspx'),
  markup('liquid', 'liquid'),
  markup('razor', 'cshtml razor vbhtml'),
  markup('template', 'tpl tmpl gotmpl gohtml ftl ftlh latte mako vm tt'),
  markup('twig', 'twig'),
  markup('xaml', 'xaml axaml'),
];

export const haml = indented('haml', 'haml');
export const pug = indented('pug', 'pug jade');
export const slim = indented('slim', 'slim');
