import { useRef } from 'preact/hooks';

import { colourOf } from './colours.js';
import { useWidth } from './lane.js';
import { clips, place, playing, selection, TOPIC, topicShot, videoById } from './state.js';
import { clock, countOf } from './time.js';
import { viewSeconds, viewStart, zoom, zoomBy, pan, maxZoom } from './timeline.js';

/** Steps of a ruler that people read easily, in seconds. */
const STEPS = [0.04, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600];
const LABEL_PX = 70;

/** The time scale of all lanes, how far it is zoomed, and the film on it. */
export function Ruler() {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [start, span] = [viewStart.value, viewSeconds.value];
  const step = STEPS.find((each) => (each / span) * width >= LABEL_PX) ?? 7200;
  const marks: number[] = [];
  if (width > 0) for (let at = Math.ceil(start / step) * step; at <= start + span; at += step) marks.push(at);
  return (
    <div class="ruler-row">
      <div class="zoom" role="group" aria-label="Zoom">
        <button aria-label="Zoom out" title="Zoom out (−)" onClick={() => zoomBy(0.5)} disabled={zoom.value <= 1}>
          −
        </button>
        <input
          type="range"
          aria-label="Zoom"
          min={0}
          max={Math.log(maxZoom.value)}
          step={0.01}
          value={Math.log(zoom.value)}
          onInput={(event) => zoomBy(Math.exp(Number(event.currentTarget.value)) / zoom.value)}
        />
        <button
          aria-label="Zoom in"
          title="Zoom in (+)"
          onClick={() => zoomBy(2)}
          disabled={zoom.value >= maxZoom.value}
        >
          +
        </button>
        <button aria-label="Earlier" onClick={() => pan(-viewSeconds.value / 2)} disabled={start <= 0}>
          ‹
        </button>
        <button aria-label="Later" onClick={() => pan(viewSeconds.value / 2)} disabled={zoom.value <= 1}>
          ›
        </button>
      </div>
      <div class="ruler" ref={box} aria-hidden="true">
        {marks.map((at) => (
          <span key={at} style={{ left: `${((at - start) / span) * width}px` }}>
            {clock(at)}
          </span>
        ))}
      </div>
    </div>
  );
}

/** The film of the topic on the time scale: every shot as long as it plays, in the colour of its source. */
export function FilmLane() {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const film = selection.value?.film;
  if (!film) return null;
  const [start, span] = [viewStart.value, viewSeconds.value];
  let passed = 0;
  const shots = film.shots.map((shot) => {
    const from = passed;
    passed += shot.to - shot.from;
    return { ...shot, start: from };
  });
  return (
    <div class="row film-row">
      <div class="label">
        <strong>Film</strong>
        <small>
          {countOf(film.shots.length, 'shot')} · {clock(film.seconds)}
        </small>
      </div>
      <div class="lane" ref={box}>
        {width > 0 &&
          shots.map((shot, at) => {
            const left = ((shot.start - start) / span) * width;
            const wide = ((shot.to - shot.from) / span) * width;
            if (left + wide < 0 || left > width) return null;
            const index = clips.value.findIndex(({ id }) => id === shot.video);
            const name = videoById.value.get(shot.video)?.name ?? shot.video;
            return (
              <button
                key={`${shot.video}#${shot.shot}`}
                class={playing.value === TOPIC && topicShot.value === at ? 'block now' : 'block'}
                style={{ left: `${left}px`, width: `${Math.max(2, wide - 1)}px`, borderColor: colourOf(index) }}
                tabIndex={-1}
                title={`${name}, ${clock(shot.from)}–${clock(shot.to)}. ${shot.reason}`}
                aria-label={`On the timeline: number ${at + 1}, ${name}`}
                onClick={() => (place.value = { video: shot.video, shot: shot.shot, stays: true })}
              >
                {wide > 40 ? name : ''}
              </button>
            );
          })}
      </div>
    </div>
  );
}
