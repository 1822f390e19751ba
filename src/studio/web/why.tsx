import { signal } from '@preact/signals';

import { ClipOrder } from './clip-order.js';
import { Comments } from './comments.js';
import { KEYS } from './keyboard.js';
import { Legend, Reasons } from './reasons.js';
import { ReelPlayer } from './reel-player.js';
import {
  clips,
  goThere,
  isIdle,
  isReadOnly,
  openClip,
  selectedShot,
  playing,
  selection,
  shotAt,
  TOPIC,
  videoById,
  wish,
} from './state.js';
import { nameOf } from './takes.js';
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
