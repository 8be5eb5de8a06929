/** Number of items that are sorted at once. */
const RUN = 2_000;

/** The items in order. Taking the next one never takes long, for `undefined` between some of them is a pause. */
export function* inOrder<T>(items: Iterable<T>, compare: (a: T, b: T) => number): Generator<T | undefined, void, void> {
  const runs: T[][] = [];
  let run: T[] = [];
  const end = (): void => {
    // The first item is at the end, from where it can be taken.
    if (run.length > 0) runs.push(run.sort((a, b) => compare(b, a)));
    run = [];
  };
  for (const item of items) {
    if (run.push(item) < RUN) continue;
    end();
    yield undefined;
  }
  end();
  while (runs.length > 0) {
    let first = 0;
    for (let i = 1; i < runs.length; i++) if (compare(runs[i]!.at(-1)!, runs[first]!.at(-1)!) < 0) first = i;
    yield runs[first]!.pop()!;
    if (runs[first]!.length === 0) runs.splice(first, 1);
  }
}
