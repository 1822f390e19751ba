import { signal } from '@preact/signals';

const said = signal('');

/** Says something to those who listen to the page instead of looking at it. */
export function say(sentence: string): void {
  said.value = sentence;
}

export function Announcer() {
  return (
    <p class="unseen" role="status" aria-live="polite">
      {said.value}
    </p>
  );
}
