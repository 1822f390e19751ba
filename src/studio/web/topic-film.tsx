import { useEffect } from 'preact/hooks';

import type { TopicFilm as Film } from '../contract.js';
import { pictureOf } from './api.js';
import { Arrange } from './arrange.js';
import { colourOf } from './colours.js';
import { ReelPlayer } from './reel-player.js';
import { centreInStrip } from './scroll.js';
import { Slider } from './slider.js';
import { edit, place, playing, selection, steering, topicShot, TOPIC, videos } from './state.js';
import { Counterparts, nameOf } from './counterparts.js';
import { clock, countOf } from './time.js';

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
        <button class="primary" onClick={() => (playing.value = TOPIC)}>
          Play the film
        </button>
        {(steering.value?.topicSequence.length ?? 0) > 0 && (
          <button
            onClick={() => void edit({ do: 'order', of: null, shots: [] })}
            title="Play the shots in the order they were filmed"
          >
            Reset order
          </button>
        )}
        <FilmLength />
      </header>
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
    </section>
  );
}

function Cell({ shot, at }: { readonly shot: Film['shots'][number]; readonly at: number }) {
  const index = videos.value.findIndex(({ id }) => id === shot.video);
  const name = videos.value[index]?.name ?? shot.video;
  const isHere = place.value?.video === shot.video && place.value.shot === shot.shot;
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
      aria-pressed={isHere}
      aria-label={`${clock(shot.from)} ${name}: number ${at + 1} in the film, shot ${shot.shot + 1} of ${name}. ${shot.reason}`}
      title={shot.reason}
      onClick={() => (place.value = { video: shot.video, shot: shot.shot, stays: true })}
    >
      <img src={pictureOf(shot.video, shot.shot)} alt="" loading="lazy" width={128} height={72} />
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
      Film length <b>{wanted}</b>
    </Slider>
  );
}

/** The film being played, beside the page. */
export function FilmPanel() {
  const film = selection.value?.film;
  if (!film) return null;
  const now = film.shots[topicShot.value];
  return (
    <aside class="panel" aria-label="Film of the topic, playing">
      <header>
        <h2>The film of the topic</h2>
        <button onClick={() => (playing.value = null)}>Close</button>
      </header>
      <ReelPlayer
        stretches={film.shots.map(({ video, from, to }) => ({ video, from, to }))}
        onPlace={(at) => (topicShot.value = at)}
        nameOf={nameOf}
      />
      <p class="hint">Plays from the originals; no need to render first.</p>
      {now && (
        <>
          <h3>
            {nameOf(now.video)}, {clock(now.from)}
          </h3>
          <p>{now.reason}</p>
          <Counterparts places={now.counterparts} />
        </>
      )}
    </aside>
  );
}
