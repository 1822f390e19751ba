import type { ComponentChildren } from 'preact';

import type { Why } from '../contract.js';
import { pictureOf } from './api.js';
import { clips, isReadOnly, look, shotAt } from './state.js';
import { clock, countOf } from './time.js';
import { filmShots, replaceInFilm } from './timeline.js';

/** Takes that are shown before one asks for more. */
const FEW = 4;

/** Other takes of a moment, best first: each can be looked at, and played instead if the shot is in the film. */
export function Takes({ takes, filmAt }: { readonly takes: Why['alternatives']; readonly filmAt: number }) {
  const inFilm = new Set(filmShots.value.map(({ video, shot }) => `${video}#${shot}`));
  // A shot plays once in the film.
  const free = filmAt < 0 ? takes : takes.filter(({ video, shot }) => !inFilm.has(`${video}#${shot}`));
  if (free.length === 0) return filmAt < 0 ? null : <p class="hint">No other take of this moment is left.</p>;
  const list = (some: typeof free) => (
    <ul class="support takes">
      {some.map(({ video, shot }) => {
        const found = shotAt({ video, shot })?.shot;
        return (
          <Peer key={`${video}#${shot}`} video={video} shot={shot}>
            <small>
              {found && `${clock(found.from)}, ${clock(found.to - found.from)} long`}
              {found?.bad && <em> · {found.bad}</em>}
            </small>
            {filmAt >= 0 && (
              <button
                class="use"
                disabled={isReadOnly}
                aria-label={`Use shot ${shot + 1} of ${nameOf(video)} instead`}
                onClick={() => void replaceInFilm(filmAt, { video, shot })}
              >
                Use
              </button>
            )}
          </Peer>
        );
      })}
    </ul>
  );
  return (
    <>
      <h3>Other takes, best first</h3>
      {list(free.slice(0, FEW))}
      {free.length > FEW && (
        <details>
          <summary>{countOf(free.length - FEW, 'more take')}</summary>
          {list(free.slice(FEW))}
        </details>
      )}
    </>
  );
}

/** A shot of another video: a button that goes there, and what is known of it. */
export function Peer(props: { readonly video: string; readonly shot: number; readonly children?: ComponentChildren }) {
  const { video, shot, children } = props;
  return (
    <li>
      <button class="peer" onClick={() => look({ video, shot })}>
        <img src={pictureOf(video, shot)} alt="" width={96} height={54} />
        <span class="name" title={nameOf(video)}>
          {nameOf(video)}
        </span>
      </button>
      {children}
    </li>
  );
}

/** The name of a video. */
export function nameOf(id: string): string {
  return clips.value.find((clip) => clip.id === id)?.name ?? id;
}
