import { signal } from '@preact/signals';

import type { Video } from '../contract.js';
import { pictureOf } from './api.js';
import { Arrange } from './arrange.js';
import { Comments } from './comments.js';
import { KEYS } from './keyboard.js';
import { Legend, Reasons } from './reasons.js';
import { ReelPlayer } from './reel-player.js';
import { clips, edit, goThere, isIdle, isReadOnly, nameOf, openClip, playing, selectedShot, selection, shotAt, steering, TOPIC, videoById, wish } from './state.js'; // prettier-ignore
import { clock, countOf } from './time.js';
import { lengthOf } from './timeline.js';
import { FilmPanel } from './topic-film.js';

/** Where the viewer has a column of its own. */
const wide = matchMedia('(min-width: 1001px)');
const isWide = signal(wide.matches);
wide.addEventListener('change', () => (isWide.value = wide.matches));

/** What is being looked at: a film, a summary, a clip or a shot, with why it is there, and what to do about it. */
export function Why() {
  if (playing.value === TOPIC) return <FilmPanel />;
  if (playing.value !== null) return <SummaryPanel key={playing.value} id={playing.value} />;
  if (openClip.value !== null) return <ClipPanel key={openClip.value} id={openClip.value} />;
  if (isIdle.value && isWide.value && selection.value?.film) return <FilmPanel />;
  return <ShotPanel key={`${selectedShot.value?.video}#${selectedShot.value?.shot}`} />;
}

/** A whole clip, analysed or not. */
function ClipPanel({ id }: { readonly id: string }) {
  const clip = clips.value.find((each) => each.id === id);
  if (!clip) return null;
  const seconds = lengthOf(clip) || 3600;
  return (
    <aside class="panel" aria-label="Clip">
      <header>
        <h2>{clip.name}</h2>
        <button onClick={() => (openClip.value = null)}>Close</button>
      </header>
      <ReelPlayer stretches={[{ video: id, from: 0, to: seconds }]} nameOf={nameOf} />
      <p class="hint">
        The whole clip{clip.seconds === null ? '' : `, ${clock(seconds)}`}. I and O set where its part in the film
        begins and ends.
      </p>
      <Comments mayEdit={!isReadOnly} of={[{ video: id, from: 0, to: seconds }]} />
    </aside>
  );
}

function SummaryPanel({ id }: { readonly id: string }) {
  const video = videoById.value.get(id);
  if (!video) return null;
  const { clips: played } = video;
  return (
    <aside class="panel" aria-label="Summary">
      <header>
        <h2>{video.name}</h2>
        <button onClick={() => (playing.value = null)}>Close</button>
      </header>
      <ReelPlayer stretches={played.map(({ from, to }) => ({ video: id, from, to }))} nameOf={nameOf} />
      {played.length > 1 && <ClipOrder video={video} />}
      <p>
        {countOf(played.length, 'clip')}, {clock(video.chosenSeconds)}. Plays from the original.
      </p>
    </aside>
  );
}

/** What every key does. */
export function KeyList() {
  return (
    <dl>
      {KEYS.map(([keys, meaning]) => (
        <div key={keys}>
          <dt>{keys}</dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}

function ShotPanel() {
  const found = shotAt(selectedShot.value);
  if (!found) {
    return (
      <aside class="panel hint" aria-label="Help">
        <Legend />
      </aside>
    );
  }
  const { shot: at } = found;
  return (
    <aside class="panel" aria-label="Why this shot">
      <header>
        <h2>
          Shot {at.index + 1} <small>{found.video.name}</small>
        </h2>
        <button onClick={() => (selectedShot.value = null)}>Close</button>
      </header>
      <ReelPlayer stretches={[{ video: found.video.id, from: at.from, to: at.to }]} nameOf={nameOf} />
      <p>
        {clock(at.from)}–{clock(at.to)}
        {at.bad !== null && <em> · {at.bad}</em>}
      </p>
      <div class="actions">
        <button aria-pressed={at.pinned} onClick={() => void wish('pin', found)}>
          {at.pinned ? 'Unpin' : 'Pin'}
        </button>
        <button aria-pressed={at.vetoed} onClick={() => void wish('veto', found)}>
          {at.vetoed ? 'Remove veto' : 'Veto'}
        </button>
        <button onClick={() => goThere(found)} title="Show it among the shots of its video">
          Go to shot
        </button>
      </div>
      <Reasons {...found} />
    </aside>
  );
}

/** The clips of a video's film in the order they play, to be put into another one. */
function ClipOrder({ video }: { readonly video: Video }) {
  const listed = steering.value?.sequence ?? [];
  const isOwn = (name: string): boolean => name.startsWith(`${video.name}#`);
  const move = (order: readonly number[]): void => {
    const shots = order.flatMap((at) => video.clips[at]!.shots);
    void edit({ do: 'order', of: video.name, shots: shots.map((shot) => `${video.name}#${shot + 1}`) });
  };
  const pieces = video.clips.map(({ from, to, shots }, at) => {
    const first = shots[0] ?? 0;
    return {
      ...{ key: String(from), name: `Clip from ${clock(from)}` },
      show: (
        <button
          tabIndex={at === 0 ? 0 : -1}
          aria-label={`${clock(from)} to ${clock(to)}: clip ${at + 1} of ${video.name}`}
          onClick={() => (selectedShot.value = { video: video.id, shot: first })}
        >
          <img src={pictureOf(video.id, first)} alt="" loading="lazy" width={96} height={54} />
          <span class="caption">{clock(from)}</span>
        </button>
      ),
    };
  });
  return (
    <div class="clip-order">
      <Arrange label={`Clips of ${video.name}, in the order they play`} pieces={pieces} onMove={move} />
      {listed.some(isOwn) && (
        <button
          onClick={() => void edit({ do: 'order', of: video.name, shots: [] })}
          title="Play the clips in the order they were filmed"
        >
          Reset order
        </button>
      )}
    </div>
  );
}
