/**
 * Calls `work` for every item, in order, at most `limit` at a time. The results have the same order, so that nothing
 * depends on which finished first. The first failure stops new work and is thrown when the calls under way have settled.
 */
export async function mapLimited<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  let failure: { error: unknown } | null = null;
  const lane = async (): Promise<void> => {
    while (next < items.length && failure === null) {
      const index = next++;
      try {
        results[index] = await work(items[index] as T, index);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(limit, items.length)) }, lane));
  if (failure !== null) throw (failure as { error: unknown }).error;
  return results;
}

/** The results of `work` for the items, in order; at most `limit` are being made or waiting to be taken at a time. */
export async function* inOrder<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<R>,
): AsyncGenerator<R> {
  const ahead: Promise<R>[] = [];
  try {
    for (let next = 0; next < items.length || ahead.length > 0;) {
      while (next < items.length && ahead.length < limit) {
        const made = work(items[next]!, next++);
        // A failure is thrown when its turn comes; until then it must not count as unhandled.
        made.catch(() => undefined);
        ahead.push(made);
      }
      yield await ahead.shift()!;
    }
  } finally {
    await Promise.allSettled(ahead);
  }
}
