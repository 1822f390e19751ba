import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Shot, Video, Why } from '../contract.js';
import { ask, pictureOf } from './api.js';
import { isReadOnly, look, nameOf, selection, shotAt, showError, videos } from './state.js';
import { clock, countOf } from './time.js';
import { filmShots, replaceInFilm } from './timeline.js';

/** Why a shot is in the film or not, what could play instead, and the figures behind it. */
export function Reasons({ video, shot: { index: shot, rank } }: { readonly video: Video; readonly shot: Shot }) {
  const [reason, setReason] = useState<(Why & { readonly of: string }) | null>(null);
  const of = `${video.id}#${shot}`;
  useEffect(() => {
    const stop = new AbortController();
    const parameters = { video: video.id, shot: String(shot) };
    ask('why', { parameters, signal: stop.signal }).then(
      (found) => setReason({ ...found, of }),
      (error: unknown) => {
        if (!stop.signal.aborted) showError(error);
      },
    );
    return () => stop.abort();
  }, [of, selection.value]);
  // The reasons of the last shot are not those of this one.
  if (reason?.of !== of) return null;
  const filmAt = filmShots.value.findIndex((each) => each.video === video.id && each.shot === shot);
  const inFilm = filmShots.value[filmAt];
  const total = reason.own ** 2 + reason.shared ** 2;
  const percent = (part: number): string => `${Math.round(100 * part)} %`;
  return (
    <>
      <h3>Why</h3>
      <p>{(inFilm ?? reason).reason}</p>
      {inFilm && inFilm.reason !== reason.reason && (
        <p class="hint">In the summary of its own video: {reason.reason}</p>
      )}
      <Takes takes={reason.alternatives} filmAt={filmAt} />
      <details>
        <summary>Research</summary>
        <p>
          Rank {rank + 1} in its video
          {total > 0 &&
            `; ${percent(reason.own ** 2 / total)} for its own video, ${percent(reason.shared ** 2 / total)} for the others`}
          .
        </p>
        <ul class="support">
          {reason.support.map((peer) => (
            <Peer key={peer.video} video={peer.video} shot={peer.shot}>
              <meter min={0} max={1} value={peer.share} aria-label={`Share of ${nameOf(peer.video)}`} />
              <span class="number">{percent(peer.share)}</span>
            </Peer>
          ))}
        </ul>
      </details>
    </>
  );
}

/** What to do, and what the bars below pictures mean. */
export function Legend() {
  if (videos.value.length === 0)
    return <p class="hint">Click a clip to play it. Shots and reasons are shown when all clips are analysed.</p>;
  return (
    <div class="hint legend">
      <p>
        Choose a shot to play it and see why it matters. <kbd>?</kbd> shows all keys.
      </p>
      <p>The bar below a shot shows how much it matters:</p>
      <ul class="key">
        <li>
          <i class="own" /> for its own video
        </li>
        <li>
          <i class="shared" /> for the other videos
        </li>
      </ul>
    </div>
  );
}

/** Takes that are shown before one asks for more. */
const FEW = 4;

/** Other takes of a moment, best first: each can be looked at, and played instead if the shot is in the film. */
function Takes({ takes, filmAt }: { readonly takes: Why['alternatives']; readonly filmAt: number }) {
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
function Peer(props: { readonly video: string; readonly shot: number; readonly children?: ComponentChildren }) {
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
