import { batch } from '@preact/signals';
import { useRef, useState } from 'preact/hooks';

import { say } from './announce.js';
import { pictureOf } from './api.js';
import { colourOf } from './colours.js';
import { secondOf } from './comments.js';
import { followPointer } from './drag.js';
import { Playhead, useWidth } from './lane.js';
import { player } from './reel-player.js';
import { clips, comments, edit, isReadOnly, nameOf, openClip, playing, selectedShot, selection, TOPIC, topicShot, videoById } from './state.js'; // prettier-ignore
import { clock, countOf } from './time.js';
import { cursor, filmAt, filmShots, goToInFilm, hover, isHeld, lengthOf, maxZoom, moveEdge, moveInFilm, pan, ripple, seekRequest, snap, snapPoints, trackOf, trimInFilm, useWheel, viewSeconds, viewStart, zoom, zoomBy, zoomToFilm, type Span } from './timeline.js'; // prettier-ignore

/** Steps of a ruler that people read easily, in seconds. */
const STEPS = [0.04, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600];
const LABEL_PX = 70;

/** Goes to a second of the clip that is looked at; of the film, if there is none. */
function scrubTo(seconds: number): void {
  const id = openClip.value ?? (playing.value === TOPIC ? null : (selectedShot.value?.video ?? playing.value));
  const clip = clips.value.find((each) => each.id === id);
  if (clip) {
    const moment = { video: clip.id, seconds: Math.min(seconds, lengthOf(clip) - 0.001) };
    batch(() => {
      playing.value = selectedShot.value = null;
      openClip.value = clip.id;
      seekRequest.value = cursor.value = moment;
    });
  } else if (selection.value?.film) goToInFilm(Math.min(seconds, selection.value.film.seconds - 0.001));
}

/** The time scale of all lanes, how far it is zoomed, and the film on it. */
export function Ruler() {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [start, span] = [viewStart.value, viewSeconds.value];
  const step = STEPS.find((each) => (each / span) * width >= LABEL_PX) ?? 7200;
  const marks: number[] = [];
  /** The ruler is pressed or dragged along: the playhead of what is shown, a clip or else the film, goes there. */
  const onPress = (press: PointerEvent): void => {
    if (press.button !== 0) return;
    player.value?.shuttle(0);
    const goTo = ({ clientX }: PointerEvent): void => {
      const { left } = box.current!.getBoundingClientRect();
      scrubTo(Math.max(0, start + ((clientX - left) / width) * span));
    };
    goTo(press);
    followPointer(press, { move: goTo, end: () => undefined });
  };
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
      <div
        class="ruler"
        ref={box}
        aria-hidden="true"
        title="Click or drag: the playhead goes there"
        onPointerDown={onPress}
      >
        {marks.map((at) => (
          <span key={at} style={{ left: `${((at - start) / span) * width}px` }}>
            {clock(at)}
          </span>
        ))}
      </div>
    </div>
  );
}

/** The second of the film that is shown; `null` while something else is. */
function secondInFilm(): number | null {
  const [now, at] = [playing.value === TOPIC ? filmShots.value[topicShot.value] : undefined, cursor.value];
  return now && at?.video === now.video ? now.start + at.seconds - now.from : null;
}

/** The film of the topic on the time scale, each shot as long as it plays: watched, trimmed, reordered and cut here. */
export function FilmLane() {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  useWheel(box, width);
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number } | null>(null);
  const [draft, setDraft] = useState<{ readonly at: number; readonly span: Span } | null>(null);
  const film = selection.value?.film;
  if (!film) return null;
  const [start, span] = [viewStart.value, viewSeconds.value];
  const position = (seconds: number): number => ((seconds - start) / span) * width;
  const shots = filmShots.value;
  const secondsAt = (clientX: number): number =>
    start + ((clientX - box.current!.getBoundingClientRect().left) / width) * span;
  const shotUnder = (seconds: number): number => shots.findLastIndex((shot) => shot.start <= seconds);
  const focus = (at: number): void => box.current?.querySelectorAll<HTMLElement>('.block')[at]?.focus();
  const move = (from: number, to: number): void => {
    if (to < 0 || to >= shots.length || from === to) return;
    say(`${nameOf(shots[from]!.video)}: now ${to + 1} of ${shots.length}.`);
    void moveInFilm(from, to).then(() => focus(to));
  };
  const onPress = (press: PointerEvent, from: number): void => {
    if (press.button !== 0 || isReadOnly) return;
    let to = from;
    followPointer(press, {
      move({ clientX }) {
        const before = shots.filter((shot, at) => at !== from && shot.start + (shot.to - shot.from) / 2 < secondsAt(clientX)); // prettier-ignore
        to = before.length;
        setDrag({ from, to });
      },
      end(isKept) {
        setDrag(null);
        if (isKept) move(from, to);
      },
    });
  };
  const onTrim = (press: PointerEvent, at: number, edge: 'from' | 'to'): void => {
    const shot = shots[at]!;
    const video = videoById.value.get(shot.video);
    if (press.button !== 0 || !video || isReadOnly) return;
    press.preventDefault();
    press.stopPropagation();
    let points = snapPoints(video, null);
    trackOf(video.id).then((track) => (points = snapPoints(video, track)), () => undefined); // prettier-ignore
    let trimmed: Span = shot;
    followPointer(press, {
      from: 0,
      move({ clientX, clientY, altKey }) {
        const seconds = shot[edge] + ((clientX - press.clientX) / width) * span;
        trimmed = moveEdge(video, shot, edge, altKey ? seconds : snap(seconds, points, width));
        setDraft({ at, span: trimmed });
        const shown = edge === 'from' ? trimmed.from : trimmed.to - 1 / video.frameRate;
        hover.value = { video: video.id, seconds: shown, x: clientX, y: clientY };
      },
      end(isKept) {
        hover.value = null;
        const isChanged = trimmed.from !== shot.from || trimmed.to !== shot.to;
        if (isKept && isChanged) void trimInFilm(at, trimmed).finally(() => setDraft(null));
        else setDraft(null);
      },
    });
  };
  const onKeyDown = (event: KeyboardEvent, at: number): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined || event.shiftKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.altKey) return move(at, at + step);
    const next = shots[at + step];
    if (!next) return;
    goToInFilm(next.start);
    focus(at + step);
  };
  const marker = drag && drag.from !== drag.to ? shots[drag.to]! : null;
  return (
    <div class="row film-row">
      <div class="label">
        <strong>Film</strong>
        <small>
          {countOf(shots.length, 'shot')} · {clock(film.seconds)}
        </small>
        <div class="actions">
          <button
            aria-pressed={ripple.value}
            title="On: an edit changes the length of the film, and all other shots stay as they are. Off: the film keeps its length, and the other shots make room."
            onClick={() => (ripple.value = !ripple.value)}
          >
            Ripple
          </button>
          <button title="Zoom until the film fills the lane (F)" onClick={zoomToFilm}>
            Fit film
          </button>
          {isHeld.value && (
            <button
              title="The film plays exactly this cut. Release it to let the length and the other settings choose again."
              onClick={() => void edit({ do: 'cut', label: 'Release the cut', shots: [] })}
            >
              Release cut
            </button>
          )}
        </div>
      </div>
      <div
        class={`lane ${drag ? 'dragging' : ''}`}
        ref={box}
        role="group"
        aria-label="Film of the topic on the timeline"
        onPointerMove={({ clientX, clientY, buttons }) => {
          const seconds = secondsAt(clientX);
          const shot = seconds < film.seconds && buttons === 0 ? shots[shotUnder(seconds)] : undefined;
          hover.value = shot ? { video: shot.video, seconds: shot.from + seconds - shot.start, x: clientX, y: clientY } : null; // prettier-ignore
        }}
        onPointerLeave={() => (hover.value = null)}
      >
        {width > 0 &&
          shots.map((shot, at) => {
            const { from, to } = draft?.at === at ? draft.span : shot;
            const left = position(shot.start + (draft?.at === at ? Math.min(0, from - shot.from) : 0));
            const wide = ((to - from) / span) * width;
            if (left + wide < 0 || left > width) return null;
            const name = nameOf(shot.video);
            const index = clips.value.findIndex(({ id }) => id === shot.video);
            const isHere = filmAt.value === at;
            return (
              <div
                key={`${shot.video}#${shot.shot}`}
                class={`cut ${isHere ? 'now' : ''} ${drag?.from === at ? 'lifted' : ''} ${draft?.at === at ? 'draft' : ''}`}
                style={{ left: `${left}px`, width: `${Math.max(3, wide - 1)}px`, borderColor: colourOf(index) }}
              >
                <button
                  class="block"
                  tabIndex={isHere || (filmAt.value < 0 && at === 0) ? 0 : -1}
                  aria-pressed={isHere}
                  aria-label={`On the timeline: number ${at + 1} of ${shots.length}, ${name}, ${clock(shot.to - shot.from)}`}
                  onPointerDown={(press) => onPress(press, at)}
                  onDragStart={(event) => event.preventDefault()}
                  onKeyDown={(event) => onKeyDown(event, at)}
                  onClick={({ clientX, detail }) => goToInFilm(detail === 0 ? shot.start : secondsAt(clientX))}
                >
                  {wide > 24 && <img src={pictureOf(shot.video, shot.shot)} alt="" />}
                  {wide > 110 && <span>{name}</span>}
                </button>
                {wide > 16 && (
                  <>
                    <i class="edge from" onPointerDown={(press) => onTrim(press, at, 'from')} />
                    <i class="edge to" onPointerDown={(press) => onTrim(press, at, 'to')} />
                  </>
                )}
              </div>
            );
          })}
        {comments.value.map((comment) => {
          const second = comment.isDone ? null : secondOf(shots, comment);
          const left = second === null ? -1 : position(second);
          return left < 0 || left > width ? null : (
            <button
              key={comment.id}
              class="marker"
              style={{ left: `${left}px` }}
              title={`${comment.by}: ${comment.text}`}
              aria-label={`Comment of ${comment.by}: ${comment.text}`}
              onClick={() => goToInFilm(second!)}
            />
          );
        })}
        {marker && (
          <i
            class="drop-mark"
            style={{ left: `${position(marker.start + (drag!.to > drag!.from ? marker.to - marker.from : 0))}px` }}
          />
        )}
        <Playhead at={secondInFilm} width={width} />
      </div>
    </div>
  );
}
