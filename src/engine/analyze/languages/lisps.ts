import { words, type Language } from '../language.ts';

/** Common Lisp, Emacs Lisp, Scheme and Racket. */
export const lisp: Language = {
  id: 'lisp',
  extensions: ['lisp', 'lsp', 'cl', 'asd', 'el', 'scm', 'ss', 'sld', 'rkt'],
  style: 'indent',
  comments: [';'],
  leaders: words(
    'defun defmacro defmethod defgeneric defclass defstruct defvar defparameter defconstant defpackage deftype define ' +
      'cl defcustom defconst defface defalias defsubst defgroup define module struct',
  ),
  shapes: [],
  patterns: [
    [/^\s*\((?:cl-)?(?:defun|defmacro|defmethod|defgeneric|defsubst|defalias)\*?\s+'?([^\s()]+)/, 'function'],
    [/^\s*\((?:cl-)?(?:defclass|defstruct|struct)\s+\(?([^\s()]+)/, 'class'],
    [/^\s*\((?:defpackage|module)\s+[#:"]*([^\s()"]+)/, 'module'],
    [/^\s*\((?:define-record-type)\s+\(?([^\s()]+)/, 'class'],
    [/^\s*\((?:defvar|defparameter|defcustom|defface|defgroup)\s+([^\s()]+)/, 'variable'],
    [/^\s*\((?:defconstant|defconst|deftype)\s+([^\s()]+)/, 'constant'],
    [/^\s*\((?:define)(?:-[\w/!*-]+)?\s+\(+([^\s()]+)/, 'function'],
    [/^\s*\((?:define)-[\w/!*-]+\s+([^\s()]+)/, 'function'],
    [/^\((?:define)\s+([^\s()]+)/, 'variable'],
  ],
};
