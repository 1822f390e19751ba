import { effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import type { TopicFilm as Film } from '../contract.js';
import { pictureOf } from './api.js';
import { Arrange } from './arrange.js';
import { colourOf } from './colours.js';
import { Comments } from './comments.js';
import { Legend, Reasons } from './reasons.js';
import { player, ReelPlayer } from './reel-player.js';
import { centreInStrip } from './scroll.js';
import { Slider } from './slider.js';
import { edit, goThere, isIdle, isReadOnly, look, nameOf, playing, selectedShot, selection, shotAt, steering, TOPIC, topicShot, videos } from './state.js'; // prettier-ignore
import { clock, countOf } from './time.js';
import { filmAt, filmShots, isHeld, moveInFilm, removeFromFilm, seekRequest } from './timeline.js';

const isStoryboardOpen = signal(localStorage.getItem('storyboard') !== 'folded');
effect(() => localStorage.setItem('storyboard', isStoryboardOpen.value ? 'open' : 'folded'));

/** The film plays in the viewer, which may have it already. */
function playFilm(): void {
  const isShown = isIdle.value && player.value !== null;
  playing.value = TOPIC;
  if (isShown) player.value?.shuttle(1);
}

function closeFilm(): void {
  player.value?.shuttle(0);
  playing.value = null;
}

/** The film of the whole topic: its shots in the order they play, each with its source. */
export function TopicFilm() {
  const film = selection.value?.film;
  if (!film) return null;
  const sources = new Set(film.shots.map(({ video }) => video)).size;
  return (
    <section class="topic-film" aria-label="Film of the topic">
      <header>
        <h2>The film of the topic</h2>
        <p>
          {countOf(film.shots.length, 'shot')} from {countOf(sources, 'video')} → <strong>{clock(film.seconds)}</strong>
        </p>
        <button class="primary" onClick={playFilm}>
          Play the film
        </button>
        {(steering.value?.topicSequence.length ?? 0) > 0 && !isHeld.value && (
          <button
            onClick={() => void edit({ do: 'order', of: null, shots: [] })}
            title="Play the shots in the order they were filmed"
          >
            Reset order
          </button>
        )}
        <FilmLength />
        <button
          class="fold"
          aria-expanded={isStoryboardOpen.value}
          title="Pictures of the film, shot by shot"
          onClick={() => (isStoryboardOpen.value = !isStoryboardOpen.value)}
        >
          Storyboard
        </button>
      </header>
      {isStoryboardOpen.value && <Storyboard film={film} />}
    </section>
  );
}

function Storyboard({ film }: { readonly film: Film }) {
  return (
    <Arrange
      label="Shots of the film, in the order they play"
      pieces={film.shots.map((shot, at) => ({
        ...{ key: `${shot.video}#${shot.shot}`, name: `Shot ${shot.shot + 1} of ${nameOf(shot.video)}` },
        show: <Cell shot={shot} at={at} />,
      }))}
      onMove={(order) =>
        void edit({
          ...{ do: 'order', of: null },
          shots: order.map((at) => `${nameOf(film.shots[at]!.video)}#${film.shots[at]!.shot + 1}`),
        })
      }
    />
  );
}

function Cell({ shot, at }: { readonly shot: Film['shots'][number]; readonly at: number }) {
  const index = videos.value.findIndex(({ id }) => id === shot.video);
  const name = videos.value[index]?.name ?? shot.video;
  const isHere = selectedShot.value?.video === shot.video && selectedShot.value.shot === shot.shot;
  const isPlaying = playing.value === TOPIC && topicShot.value === at;
  useEffect(() => {
    const cell = isPlaying ? document.getElementById(`film-${at}`)?.parentElement : null;
    // The strip alone moves: whoever reads further down stays there.
    if (cell) centreInStrip(cell);
  }, [isPlaying, at]);
  return (
    <button
      id={`film-${at}`}
      class={isPlaying ? 'now' : ''}
      tabIndex={filmAt.value === at || (filmAt.value < 0 && at === 0) ? 0 : -1}
      aria-pressed={isHere}
      aria-label={`${clock(shot.from)} ${name}: number ${at + 1} in the film, shot ${shot.shot + 1} of ${name}. ${shot.reason}`}
      title={shot.reason}
      onClick={() => {
        if (playing.value === TOPIC) seekRequest.value = { video: TOPIC, seconds: filmShots.value[at]!.start };
        else look({ video: shot.video, shot: shot.shot, stays: true });
      }}
    >
      <img src={pictureOf(shot.video, shot.shot)} alt="" loading="lazy" width={104} height={58} />
      <svg class="source" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect width={100} height={4} fill={colourOf(index)} />
      </svg>
      <span class="caption">
        {clock(shot.from)} {name}
      </span>
    </button>
  );
}

/** Seconds of the film; the longest that makes sense is half of all footage. */
function FilmLength() {
  const wanted = steering.value?.concept;
  if (!wanted) return null;
  const footage = videos.value.reduce((sum, { seconds }) => sum + seconds, 0);
  const max = Math.max(5, Math.min(600, Math.round(footage / 2)));
  const seconds = Number(/^(\d+(?:\.\d+)?)s$/.exec(wanted)?.[1] ?? NaN);
  const value = Number.isFinite(seconds) ? seconds : (selection.value?.film?.seconds ?? 60);
  return (
    <Slider class="film-length" {...{ min: 1, max, step: 1, value }} change={(length) => ({ concept: `${length}s` })}>
      Film length <b>{Number.isFinite(seconds) ? `${Math.round(10 * seconds) / 10} s` : wanted}</b>
    </Slider>
  );
}

/** The film being watched, and the shot of it that plays. */
export function FilmPanel() {
  const film = selection.value?.film;
  if (!film) return null;
  const at = filmAt.value;
  const now = film.shots[at];
  const found = shotAt(now ? { video: now.video, shot: now.shot } : null);
  return (
    <aside class="panel" aria-label={isIdle.value ? 'Viewer' : 'Film of the topic, playing'}>
      <header>
        <h2>The film of the topic</h2>
        {!isIdle.value && <button onClick={closeFilm}>Close</button>}
      </header>
      <ReelPlayer
        waits={isIdle.value}
        onPlay={() => (playing.value = TOPIC)}
        stretches={film.shots.map(({ video, from, to }) => ({ video, from, to }))}
        onPlace={(next) => (topicShot.value = next)}
        nameOf={nameOf}
      />
      {now && found && (
        <>
          <h3>
            {at + 1} of {film.shots.length} · {nameOf(now.video)}, {clock(now.from)}–{clock(now.to)}
          </h3>
          <div class="actions">
            <button disabled={at === 0} title="Earlier (Alt ←)" onClick={() => void moveInFilm(at, at - 1)}>
              ← Earlier
            </button>
            <button
              disabled={at === film.shots.length - 1}
              title="Later (Alt →)"
              onClick={() => void moveInFilm(at, at + 1)}
            >
              Later →
            </button>
            <button disabled={film.shots.length < 2} title="Remove it (Delete)" onClick={() => void removeFromFilm(at)}>
              Remove
            </button>
            <button onClick={() => goThere(found)} title="Show it among the shots of its video">
              Go to shot
            </button>
          </div>
          <Reasons {...found} />
        </>
      )}
      <Comments mayEdit={!isReadOnly} of={film.shots} />
      {isIdle.value && <Legend />}
    </aside>
  );
}
