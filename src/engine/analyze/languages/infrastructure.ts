// Languages that describe machines, containers and policies.
import { words, type Language } from '../language.ts';

export const bicep: Language = {
  id: 'bicep',
  extensions: ['bicep', 'bicepparam'],
  style: 'brace',
  comments: ['//', '/*'],
  attributes: '@',
  leaders: words('resource module param var output func type'),
  shapes: [],
  patterns: [
    [/^\s*resource\s+(\w+)\s+'/, 'struct'],
    [/^module\s+(\w+)\s+'/, 'module'],
    [/^(?:param|var|output)\s+(\w+)/, 'variable'],
    [/^func\s+(\w+)/, 'function'],
    [/^type\s+(\w+)/, 'type'],
  ],
};

/** A stage of a build ends where the next begins. */
export const dockerfile: Language = {
  id: 'dockerfile',
  extensions: ['dockerfile', 'containerfile'],
  style: 'label',
  comments: ['#'],
  leaders: words('FROM from'),
  shapes: [],
  patterns: [[/^FROM\s.*\sAS\s+([\w.-]+)\s*$/i, 'section']],
};

export const nix: Language = {
  id: 'nix',
  extensions: ['nix'],
  style: 'indent',
  comments: ['#', '/*'],
  leaders: [],
  shapes: ['any'],
  patterns: [
    [/^\s*(?:[\w'-]+\.)*"?([\w'-]+)"?\s*=\s*(?:\w+\s*(?:@\s*\{[^{}]*\})?|\{[^{}]*\}(?:\s*@\s*\w+)?)\s*:/, 'function'],
    [
      /^\s*(?!(?:inherit|default|defaultText|description|example|longDescription|meta|type)\b)((?:[\w'-]+\.)*[\w'-]+)\s*=(?:\s*(?:[^=].*)?(?:[{[(]|''|\blet|\brec))?\s*$/,
      'variable',
    ],
  ],
};

export const puppet: Language = {
  id: 'puppet',
  extensions: ['pp'],
  style: 'brace',
  comments: ['#'],
  leaders: words('class define function type node plan'),
  shapes: [],
  patterns: [
    [/^\s*class\s+([\w:]+)/, 'class'],
    [/^\s*(?:define|function|plan)\s+([\w:]+)/, 'function'],
    [/^\s*type\s+([\w:]+)\s*=/, 'type'],
    [/^\s*node\s+['"/]?([\w.-]+)/, 'struct'],
  ],
};

export const rego: Language = {
  id: 'rego',
  extensions: ['rego'],
  style: 'brace',
  comments: ['#'],
  leaders: [],
  shapes: ['column0'],
  patterns: [
    [/^package\s+([\w.]+)/, 'module'],
    [
      /^(?!(?:import|else|default|package)\b)(?:\w+\.)*(\w+)(?:\s*\(|(?:\[[^\]]*\])?\s*(?:contains\b|if\b|\{))/,
      'function',
    ],
    [/^(?!(?:import|else|default|package)\b)(\w+)\s*(?:\[[^\]]*\]\s*)?:?=/, 'variable'],
  ],
};
