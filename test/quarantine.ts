/** A test that fails now and then, and why nobody could mend it yet. */
export type Quarantined = { readonly file: string; readonly name: string; readonly reason: string };

/** These tests are skipped, and the report says why. `test/house.test.ts` keeps the list short. */
export const quarantine: readonly Quarantined[] = [
  {
    file: 'test/studio/timeline.test.ts',
    name: 'plays what browsers cannot play, by a proxy, and says what cannot be shown',
    reason:
      'Failed on a busy machine: the proxy did not play on. The cause is not found; perhaps it was asked for before it was there.',
  },
  {
    file: 'test/studio/timeline.test.ts',
    name: 'made no error, and asked nobody but its own server',
    reason: 'Failed with the test above: one request was answered with 404. Which one is not known.',
  },
  {
    file: 'test/studio/scroll.test.ts',
    name: 'stays with the film if a shot is clicked there, and goes to it on request',
    reason:
      'Failed on a busy machine: the shot was not in view. The cause is not found; perhaps its row was not drawn yet.',
  },
];
