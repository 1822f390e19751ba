/** Makes something once for each object, and keeps it as long as that object; what failed is made again. */
export function oncePer<K extends object, Rest extends readonly unknown[], T>(
  make: (of: K, ...rest: Rest) => Promise<T>,
): (of: K, ...rest: Rest) => Promise<T> {
  const made = new WeakMap<K, Promise<T>>();
  return (of, ...rest) => {
    const making = made.get(of) ?? make(of, ...rest);
    made.set(of, making);
    making.catch(() => made.delete(of));
    return making;
  };
}
