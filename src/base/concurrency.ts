/**
 * Calls `work` for every item, at most `limit` at a time, in order of the items. Results come back in that order too,
 * so nothing downstream depends on who finished first. The first failure stops new work and is thrown once what is
 * under way has settled.
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

/** What `work` makes of the items, in their order, at most `limit` of them made or waiting to be taken at a time. */
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
        // One that fails before its turn fails when its turn comes.
        made.catch(() => undefined);
        ahead.push(made);
      }
      yield await ahead.shift()!;
    }
  } finally {
    await Promise.allSettled(ahead);
  }
}
