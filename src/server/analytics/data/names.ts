/** Gives each text a number, in the order of their arrival; {@link NumberedNames.sorted} puts them into theirs. */
export class NumberedNames {
  readonly #ids = new Map<string, number>();

  constructor(names: Iterable<string> = []) {
    for (const name of names) this.idOf(name);
  }

  idOf(name: string): number {
    let id = this.#ids.get(name);
    if (id === undefined) this.#ids.set(name, (id = this.#ids.size));
    return id;
  }

  /** The texts in the order of their code units, and for each id its place there. */
  sorted(): { readonly names: readonly string[]; readonly ranks: Int32Array } {
    const names = [...this.#ids.keys()].sort((a, b) => (a < b ? -1 : 1));
    const ranks = new Int32Array(names.length);
    names.forEach((name, rank) => (ranks[this.#ids.get(name)!] = rank));
    return { names, ranks };
  }
}
