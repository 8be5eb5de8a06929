/** Capacity of a cache, larger than the need of one search. */
const MAX_KEPT = 20_000;

/** The cached value of a key, or else the result of `make`, cached for the next search. A full cache is cleared. */
export function keep<K, V extends object | string | number>(
  known: Map<K, V>,
  key: K,
  make: (key: K) => V,
  capacity = MAX_KEPT,
): V {
  let value = known.get(key);
  if (value === undefined) {
    if (known.size >= capacity) known.clear();
    known.set(key, (value = make(key)));
  }
  return value;
}
