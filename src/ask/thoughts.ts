const BEGIN = '<think>';
const END = '</think>';

/**
 * Leaves out the thoughts with which some models begin their answer, between `<think>` and `</think>`: services that do not
 * separate them, such as local ones, send them as text of the answer.
 */
export class ThoughtFilter {
  #state: 'begin' | 'thoughts' | 'gap' | 'answer' = 'begin';
  #held = '';

  /** Takes the next piece of text. Returns what it adds to the answer. */
  push(text: string): string {
    if (this.#state === 'answer') return text;
    this.#held += text;
    if (this.#state === 'begin') {
      const begin = this.#held.trimStart();
      if (begin.length < BEGIN.length && BEGIN.startsWith(begin)) return '';
      if (!begin.startsWith(BEGIN)) return this.#answer(this.#held);
      this.#state = 'thoughts';
      this.#held = begin.slice(BEGIN.length);
    }
    if (this.#state === 'thoughts') {
      const end = this.#held.indexOf(END);
      // The tag may come in two pieces.
      this.#held = end < 0 ? this.#held.slice(1 - END.length) : this.#held.slice(end + END.length);
      if (end < 0) return '';
      this.#state = 'gap';
    }
    this.#held = this.#held.trimStart();
    return this.#held === '' ? '' : this.#answer(this.#held);
  }

  /** Returns what was held back because it could have been the begin of thoughts. */
  end(): string {
    return this.#state === 'begin' ? this.#held : '';
  }

  #answer(text: string): string {
    this.#state = 'answer';
    this.#held = '';
    return text;
  }
}
