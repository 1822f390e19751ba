/** A test that fails now and then, and why nobody could mend it yet. */
export type Quarantined = { readonly file: string; readonly name: string; readonly reason: string };

/** These tests are skipped, and the report says why. `test/house.test.ts` keeps the list short. */
export const quarantine: readonly Quarantined[] = [
  {
    file: 'test/studio/timeline.test.ts',
    name: 'plays what browsers cannot play, by a proxy, and says what cannot be shown',
    reason:
      'On a busy machine the proxy is sometimes asked for before it is there, and the player does not start again.',
  },
  {
    file: 'test/studio/timeline.test.ts',
    name: 'made no error, and asked nobody but its own server',
    reason: 'The same request for a proxy that is not there yet is answered with 404.',
  },
  {
    file: 'test/studio/scroll.test.ts',
    name: 'stays with the film if a shot is clicked there, and goes to it on request',
    reason: 'The last shot of the film is sometimes in a row that is not drawn yet when the page scrolls to it.',
  },
];
