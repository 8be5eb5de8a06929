/** More than one search asks for. */
const MAX_KEPT = 20_000;

/** What is known of a key, or what `make` gives, kept for the next search. Once there is too much, all is forgotten. */
export function keep<K, V extends object | string>(known: Map<K, V>, key: K, make: (key: K) => V): V {
  let value = known.get(key);
  if (value === undefined) {
    if (known.size >= MAX_KEPT) known.clear();
    known.set(key, (value = make(key)));
  }
  return value;
}
