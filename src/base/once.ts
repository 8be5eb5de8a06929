/** What `make` gives, which is called when it is first asked for and never again, unless what it promised failed. */
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
