/** The result of `make`, which is called at the first use and never again, unless its promise was rejected. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    if (made) return made.value;
    const own = { value: make() };
    made = own;
    if (own.value instanceof Promise)
      own.value.catch(() => {
        if (made === own) made = undefined;
      });
    return own.value;
  };
}
