import assert from 'node:assert/strict';
import { parseQueryLanguage } from '../engine/query/queryLanguage.ts';
import type { SymbolSpan } from '../engine/index/documents.ts';
import { Excerpter } from './excerpt.ts';

describe('Excerpter', () => {
  /** The line number and the text with its matches in brackets. */
  function excerpt(query: string, ...lines: string[]): string {
    return marked(query, lines);
  }

  /** {@link excerpt}, of a place that is the function `name`, whose line is `line`. */
  function definition(query: string, name: string, line: number, ...lines: string[]): string {
    return marked(query, lines, { name, kind: 'function', startLine: 1, line, endLine: lines.length });
  }

  function marked(query: string, lines: readonly string[], symbol?: SymbolSpan): string {
    const place = { startLine: 1, endLine: lines.length, ...(symbol && { symbol }) };
    const { line, text, ranges } = new Excerpter(parseQueryLanguage(query)).excerpt(lines, place);
    const inBrackets = [...ranges].reverse().reduce((t, { start, end }) => {
      return `${t.slice(0, start)}[${t.slice(start, end)}]${t.slice(end)}`;
    }, text);
    return `${line}: ${inBrackets}`;
  }

  it('marks words, except words of filters and exclusions', () => {
    assert.equal(excerpt('lantern file:light -dark', 'light dark', '\tlight lantern'), '2: light [lantern]');
  });

  it('prefers the line where a phrase begins, and marks the whole phrase', () => {
    assert.equal(excerpt('"a lamp" lantern light', 'light lantern', '  Xa  lamp'), '2: X[a  lamp]');
    assert.equal(excerpt('"a lamp"', 'lamp a', 'b a', 'lamp'), '2: b [a]');
    assert.equal(excerpt('"😀 lamp" lam', '  é 😀 lamps'), '1: é [😀 lamps]');
  });

  it('returns the first line that is not blank if no line matches', () => {
    assert.equal(excerpt('lang:ts', '', '  ', ' first', 'second'), '3: first');
    assert.equal(excerpt('lang:ts', '', ''), '1: ');
  });

  it('marks what is typed of the name of a definition, and prefers its line', () => {
    assert.equal(
      definition('pars', 'parseLines', 2, '// lines', 'function parseLines() {'),
      '2: function [pars]eLines() {',
    );
    assert.equal(definition('count_lan', 'count_lanterns', 1, 'def count_lanterns():'), '1: def [count_lan]terns():');
    assert.equal(definition('countLan', 'count_lanterns', 1, 'def count_lanterns():'), '1: def [count_lan]terns():');
    assert.equal(definition('Stock.coun', 'Stock::count', 1, 'int Stock::count() {'), '1: int [Stock]::[coun]t() {');
  });

  it('marks the beginning of the name itself, not of an earlier part of the line', () => {
    assert.equal(definition('get', 'getUser', 1, 'widget.getUser = () => {'), '1: widget.[get]User = () => {');
    assert.equal(definition('lan', 'lanterns', 1, 'const plan = lanterns(1);'), '1: const plan = [lan]terns(1);');
    assert.equal(definition('$scop', '$scopes', 1, 'let $scopes;'), '1: let [$scop]es;');
  });

  it('marks the name of a definition that is found by other letters, if nothing else is on its line', () => {
    assert.equal(definition('hmf', 'handle_mm_fault', 1, 'int handle_mm_fault() {'), '1: int [handle_mm_fault]() {');
    assert.equal(
      definition('sym:*mm*', 'handle_mm_fault', 1, 'int handle_mm_fault() {'),
      '1: int [handle_mm_fault]() {',
    );
    assert.equal(definition('what faults', 'handle', 1, 'int handle() {', 'a fault'), '2: a [fault]');
    assert.equal(definition('what fails', 'handle', 1, 'int handle() {'), '1: int handle() {');
  });

  it('shows the first match of a long line', () => {
    assert.equal(
      excerpt('lantern', `${'-'.repeat(299)} lantern ${'='.repeat(99)}`),
      `1: ${'-'.repeat(299)} [lantern] ${'='.repeat(39)}`,
    );
    assert.equal(excerpt('lantern', `${'-'.repeat(2000)} lantern`), `1: ${'-'.repeat(200)}`);
  });

  it('cuts long lines, and drops matches after the cut', () => {
    assert.equal(excerpt('"xy z"', `${'-'.repeat(199)}xy z`), `1: ${'-'.repeat(199)}[x]`);
    assert.equal(excerpt('lamp', `lamp ${'😀'.repeat(200)}`), `1: [lamp] ${'😀'.repeat(97)}`, 'no half of a character');
  });
});
