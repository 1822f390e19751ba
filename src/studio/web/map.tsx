import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { ShotMap } from '../contract.js';
import { ask } from './api.js';
import { ShotCell } from './clip-list.js';
import { colourOf } from './colours.js';
import { dotTowards, isInside, layDots, nearestDot, paintDots, paintMarks, type Dot, type Point } from './dots.js';
import { selectedShot, selection, shotAt, showError, videos, type ShotRef } from './state.js';
import { clock, countOf } from './time.js';

const idOf = ({ video, shot }: ShotRef): string => `${video}/${shot}`;

/** Strokes shorter than this are clicks. */
const CLICK_PX = 5;

/**
 * All shots in two dimensions: near means alike. Colour is the video, size the importance. A click looks at a shot, a line
 * drawn around several inspects them; the arrow keys go from shot to shot, Enter inspects.
 */
export function Map() {
  const [dotCanvas, markCanvas] = [useRef<HTMLCanvasElement>(null), useRef<HTMLCanvasElement>(null)];
  const [map, setMap] = useState<ShotMap | null>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [inspected, setInspected] = useState<ReadonlySet<string>>(new Set());
  const line = useRef<Point[]>([]);
  const shown = selection.value;
  const dots = useMemo(() => layDots(map?.points ?? [], videos.value, size, hidden), [map, shown, size, hidden]);
  const here = dots.find(({ at }) => selectedShot.value && idOf(at) === idOf(selectedShot.value)) ?? null;

  useEffect(() => {
    ask('map').then(setMap, showError);
    const element = dotCanvas.current!;
    const measure = (): void => setSize({ width: element.clientWidth, height: element.clientHeight });
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', measure);
    return () => {
      watch.disconnect();
      scheme.removeEventListener('change', measure);
    };
  }, []);
  useEffect(() => paintDots(dotCanvas.current!, dots), [dots]);
  const repaint = (): void =>
    paintMarks(markCanvas.current!, {
      ...{ line: line.current, here },
      marked: dots.filter(({ at }) => inspected.has(idOf(at))),
    });
  useEffect(repaint, [dots, inspected, here]);

  const inspect = (found: readonly Dot[]): void => setInspected(new Set(found.map(({ at }) => idOf(at))));
  const draw = (event: PointerEvent): void => {
    if (line.current.length === 0) return;
    line.current.push({ x: event.offsetX, y: event.offsetY });
    repaint();
  };
  const release = (event: PointerEvent): void => {
    const drawn = line.current;
    line.current = [];
    const isClick = drawn.every(({ x, y }) => Math.hypot(x - drawn[0]!.x, y - drawn[0]!.y) < CLICK_PX);
    if (drawn.length > 0 && isClick) {
      const found = nearestDot(dots, { x: event.offsetX, y: event.offsetY }, 20);
      if (found) selectedShot.value = found.at;
    } else if (drawn.length > 0) inspect(dots.filter((dot) => isInside(drawn, dot)));
    repaint();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && inspected.size > 0) setInspected(new Set());
    else if (event.key === 'Enter' && here) {
      const id = idOf(here.at);
      setInspected(
        inspected.has(id) ? new Set([...inspected].filter((each) => each !== id)) : new Set([...inspected, id]),
      );
    } else if (event.key.startsWith('Arrow')) {
      const next = here ? dotTowards(dots, here, event.key) : (dots.at(-1) ?? null);
      if (next) selectedShot.value = next.at;
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const toggle = (id: string): void => {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    setHidden(next);
  };
  const found = shotAt(selectedShot.value);
  return (
    <div class="map">
      <div class="plane">
        <canvas ref={dotCanvas} aria-hidden="true" />
        <canvas
          ref={markCanvas}
          tabIndex={0}
          role="application"
          aria-label={`Map of ${dots.length} shots. Arrow keys go from shot to shot, Enter inspects, Escape clears.`}
          onPointerDown={(event) => {
            if (event.button !== 0) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            line.current = [{ x: event.offsetX, y: event.offsetY }];
          }}
          onPointerMove={draw}
          onPointerUp={release}
          onPointerCancel={release}
          onKeyDown={onKeyDown}
        />
      </div>
      <p class="unseen" aria-live="polite">
        {found &&
          `Shot ${found.shot.index + 1} of ${found.video.name}, ${clock(found.shot.from)}, rank ${found.shot.rank + 1}`}
      </p>
      <div class="map-legend" role="group" aria-label="Videos shown">
        {videos.value.map(({ id, name }, index) => (
          <button key={id} aria-pressed={!hidden.has(id)} onClick={() => toggle(id)}>
            <svg width={10} height={10} aria-hidden="true">
              <circle cx={5} cy={5} r={5} fill={colourOf(index)} />
            </svg>
            {name}
          </button>
        ))}
        <button onClick={() => setHidden(hidden.size > 0 ? new Set() : new Set(videos.value.map(({ id }) => id)))}>
          {hidden.size > 0 ? 'Show all' : 'Hide all'}
        </button>
        <button onClick={() => inspect(dots)} disabled={dots.length === 0}>
          Inspect visible shots
        </button>
      </div>
      <Inspected
        shots={dots.flatMap(({ at }) => (inspected.has(idOf(at)) ? [at] : []))}
        onClear={() => setInspected(new Set())}
      />
    </div>
  );
}

/** More pictures than this say less than their number does. */
const MAX = 120;

/** The shots one drew a line around: how many of each video, and their pictures, the most important first. */
function Inspected({ shots, onClear }: { readonly shots: readonly ShotRef[]; readonly onClear: () => void }) {
  if (shots.length === 0)
    return (
      <p class="hint">
        Shots that look alike are close together. Large dots matter more; outlined dots are in a summary. Click a dot to
        see the shot, or draw a line around several to inspect them.
      </p>
    );
  const groups = videos.value.flatMap((video, index) => {
    const own = shots.flatMap((at) => (at.video === video.id ? (video.shots[at.shot] ?? []) : []));
    return own.length > 0 ? [{ video, index, shots: own }] : [];
  });
  const cells = groups
    .flatMap(({ video, shots }) => shots.map((shot) => ({ video, shot })))
    .sort((a, b) => b.shot.score - a.shot.score);
  const chosen = cells.filter(({ shot }) => shot.chosen).length;
  return (
    <section class="inspected" aria-label="Inspected shots">
      <header>
        <h2>
          {countOf(cells.length, 'shot')} from {countOf(groups.length, 'video')}
          <small>{chosen} in summaries</small>
        </h2>
        <ul aria-label="Shots by video">
          {groups.map(({ video, index, shots }) => (
            <li key={video.id}>
              <svg width={10} height={10} aria-hidden="true">
                <circle cx={5} cy={5} r={5} fill={colourOf(index)} />
              </svg>
              {video.name} <b>{shots.length}</b>
            </li>
          ))}
        </ul>
        <button onClick={onClear}>Clear</button>
      </header>
      <ol class="shots">
        {cells.slice(0, MAX).map(({ video, shot }) => (
          <ShotCell key={`${video.id}-${shot.index}`} id={video.id} name={video.name} shot={shot} />
        ))}
      </ol>
      {cells.length > MAX && <p class="hint">Showing the {MAX} most important. Draw a smaller line to see the rest.</p>}
    </section>
  );
}
