import { signal } from '@preact/signals';
import { useRef } from 'preact/hooks';

import type { Comment } from '../contract.js';
import { ask } from './api.js';
import { comments, nameOf, showError } from './state.js';
import { clock } from './time.js';
import { cursor, seekRequest } from './timeline.js';

const by = signal(localStorage.getItem('name') ?? '');
type Played = { readonly video: string; readonly from: number; readonly to: number };

/** The second of a film at which a moment of an original plays; `null` if it does not. */
export function secondOf(
  film: readonly Played[],
  { video, seconds }: Pick<Comment, 'video' | 'seconds'>,
): number | null {
  let start = 0;
  for (const shot of film) {
    if (shot.video === video && seconds >= shot.from && seconds < shot.to) return start + seconds - shot.from;
    start += shot.to - shot.from;
  }
  return null;
}

/** What was said about what plays, and a field to say more at the moment that is shown. */
export function Comments({ of, mayEdit }: { readonly of: readonly Played[]; readonly mayEdit: boolean }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const at = cursor.value;
  const shown = comments.value
    .map((comment) => ({ ...comment, second: secondOf(of, comment) ?? -1 }))
    .filter(({ second }) => second >= 0)
    .toSorted((a, b) => a.second - b.second);
  const now = at && secondOf(of, at);
  const say = async (): Promise<void> => {
    const text = field.current?.value.trim();
    if (!text || !at) return;
    try {
      localStorage.setItem('name', by.value);
      const body = { video: at.video, seconds: at.seconds, by: by.value.trim() || 'Editor', text };
      comments.value = (await ask('comment', { body })).comments;
      field.current!.value = '';
    } catch (error) {
      showError(error);
    }
  };
  const change = (asking: Promise<{ readonly comments: readonly Comment[] }>): void =>
    void asking.then((answer) => (comments.value = answer.comments), showError);
  return (
    <section class="comments" aria-label="Comments">
      <h3>Comments{shown.length > 0 && ` (${shown.filter(({ isDone }) => !isDone).length} open)`}</h3>
      <ul>
        {shown.map(({ id, video, seconds, second, by: author, text, isDone }) => (
          <li key={id} class={isDone ? 'done' : ''}>
            <button
              class="at"
              title="Go to this moment"
              onClick={() => (seekRequest.value = { video, seconds: seconds + 0.001 })}
            >
              {clock(second)}
            </button>
            <p>
              {text} <small>{author}</small>
            </p>
            {mayEdit && (
              <span class="actions">
                <button
                  aria-pressed={isDone}
                  onClick={() =>
                    change(ask('settleComment', { parameters: { comment: id }, body: { isDone: !isDone } }))
                  }
                >
                  Done
                </button>
                <button
                  aria-label={`Delete the comment of ${author}`}
                  onClick={() => change(ask('deleteComment', { parameters: { comment: id } }))}
                >
                  ×
                </button>
              </span>
            )}
          </li>
        ))}
      </ul>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void say();
        }}
      >
        <textarea
          ref={field}
          rows={2}
          maxLength={2000}
          aria-label="Comment at this moment"
          placeholder={at && now !== null ? `Comment at ${clock(now)}, ${nameOf(at.video)}` : 'Play, then comment'}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey) {
              event.preventDefault();
              void say();
            }
            if (event.key === 'Escape') event.currentTarget.blur();
          }}
        />
        <input
          type="text"
          maxLength={80}
          aria-label="Your name"
          placeholder="Your name"
          value={by.value}
          onInput={(event) => (by.value = event.currentTarget.value)}
        />
        <button disabled={!at}>Comment</button>
      </form>
    </section>
  );
}
