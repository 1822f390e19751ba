import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import type { Review } from '../contract.js';
import { ask, listen } from './api.js';
import { Comments } from './comments.js';
import { ReelPlayer } from './reel-player.js';
import { clips, comments, isGone, nameOf, problem, showError, titleOf } from './state.js';
import { clock, countOf } from './time.js';

const review = signal<Review | null>(null);

async function load(): Promise<void> {
  try {
    const read = await ask('readReview');
    [review.value, clips.value, comments.value, problem.value] = [read, read.clips, read.comments, null];
  } catch (error) {
    showError(error);
  }
}

/** The page for reviewers on the network: they watch the film and comment at a moment. */
export function ReviewPage() {
  useEffect(() => {
    void load();
    listen(
      { document: () => void load(), comments: (all) => (comments.value = all) },
      (isAway) => (isGone.value = isAway),
    );
  }, []);
  const read = review.value;
  return (
    <main class="review">
      <header>
        <h1>{read ? titleOf(read.name) : 'Review'}</h1>
        {read && read.film.length > 0 && (
          <p class="hint">
            {countOf(read.film.length, 'shot')}, {clock(read.film.reduce((sum, { from, to }) => sum + to - from, 0))}
          </p>
        )}
      </header>
      {(isGone.value || problem.value) && (
        <p class="problem" role="alert">
          {isGone.value ? 'The studio is not responding. This page goes on when it is back.' : problem.value}
        </p>
      )}
      {!read && !problem.value && <p class="hint">Loading the film…</p>}
      {read?.film.length === 0 && <p class="hint">There is no film yet. This page shows it as soon as there is one.</p>}
      {read && read.film.length > 0 && (
        <>
          <ReelPlayer stretches={read.film} nameOf={nameOf} />
          <Comments mayEdit={false} of={read.film} />
        </>
      )}
      {read?.studies.map(({ id, keyWord }) => (
        <p key={id}>
          <a class="button" href={`/?rate=${encodeURIComponent(id)}`}>
            Rate the films of “{keyWord}”
          </a>
        </p>
      ))}
    </main>
  );
}
