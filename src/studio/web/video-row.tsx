import { useEffect, useRef } from 'preact/hooks';

import type { Shot, Video } from '../contract.js';
import { pictureOf } from './api.js';
import { Remarks } from './remarks.js';
import { centreInStrip, isInStrip } from './scroll.js';
import { place, playing } from './state.js';
import { clock, countOf } from './time.js';

/** One video: all its shots in film order, how much each matters, and which are chosen. */
export function VideoRow({ video }: { readonly video: Video }) {
  const strip = useRef<HTMLOListElement>(null);
  useEffect(() => {
    // A short summary may have its only shot far to the right: a row opens where something is chosen.
    const chosen = [...strip.current!.querySelectorAll<HTMLElement>('.chosen')];
    if (chosen[0] && !chosen.some(isInStrip)) centreInStrip(chosen[0]);
  }, []);
  const chosenCount = video.shots.filter((shot) => shot.chosen).length;
  return (
    <section class="video" aria-label={video.name}>
      <header>
        <h2>{video.name}</h2>
        <p>
          {clock(video.seconds)} → <strong>{clock(video.chosenSeconds)}</strong>, {chosenCount} of{' '}
          {countOf(video.shots.length, 'shot')}
        </p>
        <button onClick={() => (playing.value = video.id)} disabled={video.chosenSeconds === 0}>
          Play summary
        </button>
      </header>
      <Remarks remarks={video.remarks} />
      <ol class="shots" ref={strip}>
        {video.shots.map((shot) => (
          <ShotCell key={shot.index} video={video} shot={shot} />
        ))}
      </ol>
    </section>
  );
}

/** A shot as a picture one can go to, with its importance below. */
export function ShotCell({ video, shot }: { readonly video: Video; readonly shot: Shot }) {
  const cell = useRef<HTMLLIElement>(null);
  const isHere = place.value?.video === video.id && place.value.shot === shot.index;
  const here = isHere ? place.value : null;
  useEffect(() => {
    if (!here) return;
    if (!here.stays) cell.current!.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    else if (!isInStrip(cell.current!)) centreInStrip(cell.current!);
  }, [here]);
  const state = shot.pinned ? 'pinned' : shot.vetoed ? 'vetoed' : shot.chosen ? 'chosen' : 'not chosen';
  const caption = `${clock(shot.from)}${shot.pinned || shot.vetoed ? ` · ${state}` : shot.chosen ? ' ✓' : ''}`;
  const ownPart = shot.score > 0 ? shot.own ** 2 / (shot.own ** 2 + shot.shared ** 2) : 0;
  return (
    <li
      ref={cell}
      class={`shot ${shot.chosen ? 'chosen' : ''} ${shot.pinned ? 'pinned' : ''} ${shot.vetoed ? 'vetoed' : ''}`}
    >
      <button
        id={`shot-${video.id}-${shot.index}`}
        aria-pressed={isHere}
        aria-label={`${caption}: shot ${shot.index + 1} of ${video.name}, to ${clock(shot.to)}, rank ${shot.rank + 1}, ${state}`}
        onClick={() => (place.value = { video: video.id, shot: shot.index })}
      >
        <img src={pictureOf(video.id, shot.index)} alt="" loading="lazy" width={128} height={72} />
        <svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
          <rect class="track" width={100} height={6} />
          <rect class="own" width={100 * shot.score * ownPart} height={6} />
          <rect class="shared" x={100 * shot.score * ownPart} width={100 * shot.score * (1 - ownPart)} height={6} />
        </svg>
        <span class="caption">{caption}</span>
      </button>
    </li>
  );
}
