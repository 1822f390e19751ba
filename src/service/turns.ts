/** Gives a function that does work under one name piece by piece, in the order asked for, and one that waits for all of it. */
export function makeTurns() {
  const last = new Map<string, Promise<unknown>>();
  return {
    take<T>(name: string, work: () => Promise<T>): Promise<T> {
      const turn = (last.get(name) ?? Promise.resolve()).catch(() => undefined).then(work);
      last.set(name, turn);
      const forget = (): void => void (last.get(name) === turn && last.delete(name));
      turn.then(forget, forget);
      return turn;
    },
    settled: async (): Promise<void> => void (await Promise.allSettled(last.values())),
  };
}
