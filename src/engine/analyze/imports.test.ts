import assert from 'node:assert/strict';
import { Analyzer } from './analyzer.ts';
import { IMPORT } from './lexer.ts';

/** Lines that are imports, and lines that are not, by a file of their language. */
const CASES: Readonly<Record<string, readonly [imports: readonly string[], others: readonly string[]]>> = {
  'a.ts': [
    ["import { a } from 'a';", 'import {\n  a,\n  b,\n} from "b";', "import 'c';", "export * from './d';"],
    ["import('e');", 'import.meta.url;', 'const a = call(require("x"));', 'export const b = 1;', 'importAll();'],
  ],
  'a.js': [["const fs = require('node:fs');", "const { join } = require('path').posix;"], ['const x = required();']],
  'a.py': [
    ['import os', 'from a.b import c', 'from a import (\n    b,\n    c,\n)'],
    ['important = 1', 'from_here()', 'if x:\n    import y'],
  ],
  'a.go': [['import "fmt"', 'import (\n\t"fmt"\n\n\tlog "a/b"\n)'], ['func imported() {}']],
  'a.rs': [
    ['use std::fs;', 'pub use a::{\n    B,\n    c::{D},\n};', 'pub(crate) use e::F;', 'extern crate g;'],
    ['pub fn used() {}', 'extern "C" {}'],
  ],
  'a.c': [
    ['#include <stdio.h>', '#include "a.h"'],
    ['#included 1', '#define include 1', 'int include;'],
  ],
  'A.java': [['import java.util.List;', 'import static a.B.c;'], ['class Imports {}']],
  'A.cs': [
    ['using System;', 'global using A = B.C;'],
    ['using var a = b();', 'using (a) {}'],
  ],
  'a.hs': [['import Data.Map\n  ( Map\n  , insert\n  )'], ['imported = 1']],
  'a.rb': [["require 'a'", "require_relative 'b'"], ['required = 1']],
  'a.ex': [['defmodule A do\n  alias A.{B,\n    C}\n  use D\nend'], []],
  'a.lua': [["local a = require 'a'"], ['local b = 1']],
  'a.php': [['<?php\nuse A\\B;'], ['<?php\nuser();']],
};

function imported(path: string, text: string): string[] {
  const { quiet } = new Analyzer().analyze(path, Buffer.from(text));
  return text.split('\n').filter((_, i) => (quiet[i]! & IMPORT) !== 0);
}

describe('imports', () => {
  for (const [path, [imports, others]] of Object.entries(CASES)) {
    it(`distinguishes imports from other code in ${path}`, () => {
      for (const text of imports) {
        const around = /^(?:<\?php|defmodule .*|end|)$/;
        const lines = text.split('\n').filter((line) => !around.test(line));
        const found = imported(path, `${text}\nlast\n`).filter((line) => line !== '');
        assert.deepEqual(found, lines, text);
      }
      for (const text of others) assert.deepEqual(imported(path, `${text}\nlast\n`), [], text);
    });
  }

  it('finds no definition in imports, and skips nothing after a bracket that never closes', () => {
    const text = `const express = require('express');\nimport {\n${'x\n'.repeat(300)}export function listen() {}\n`;
    const { definitions } = new Analyzer().analyze('a.js', Buffer.from(text));
    assert.deepEqual(
      definitions.map(({ name }) => name),
      ['listen'],
    );
  });
});
