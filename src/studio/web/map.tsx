import { useEffect, useRef, useState } from 'preact/hooks';

import type { ShotMap } from '../contract.js';
import { ask } from './api.js';
import { colourOf } from './colours.js';
import { place, selection, tell, videos } from './state.js';

/** All shots in two dimensions: near means alike. Colour is the video, size the importance; a click looks at the shot. */
export function Map() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [map, setMap] = useState<ShotMap | null>(null);
  useEffect(() => {
    ask('map').then(setMap, tell);
  }, []);
  useEffect(() => {
    const element = canvas.current;
    if (!element || !map) return;
    const draw = (): void => paint(element, map);
    draw();
    const watch = new ResizeObserver(draw);
    watch.observe(element);
    return () => watch.disconnect();
  }, [map, selection.value, place.value]);
  return (
    <figure class="map">
      <canvas
        ref={canvas}
        role="img"
        aria-label={`Map of ${map?.points.length ?? 0} shots; the list of shots is in the Topic view`}
        onClick={(event) => map && choose(event, map)}
      />
      <figcaption>
        {videos.value.map((video, index) => (
          <span key={video.id}>
            <svg width={10} height={10} aria-hidden="true">
              <circle cx={5} cy={5} r={5} fill={colourOf(index)} />
            </svg>
            {video.name}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

type Dot = { readonly x: number; readonly y: number; readonly r: number; readonly index: number };

function dotOf(point: ShotMap['points'][number], width: number, height: number): Dot | null {
  const index = videos.value.findIndex(({ id }) => id === point.video);
  const shot = videos.value[index]?.shots[point.shot];
  if (!shot) return null;
  const margin = 24;
  return {
    x: margin + point.x * (width - 2 * margin),
    y: margin + point.y * (height - 2 * margin),
    r: 3 + 7 * shot.score,
    index,
  };
}

function paint(canvas: HTMLCanvasElement, map: ShotMap): void {
  const { clientWidth: width, clientHeight: height } = canvas;
  const scale = devicePixelRatio;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const pen = canvas.getContext('2d')!;
  pen.scale(scale, scale);
  const ink = getComputedStyle(canvas).color;
  for (const point of map.points) {
    const dot = dotOf(point, width, height);
    if (!dot) continue;
    const shot = videos.value[dot.index]!.shots[point.shot]!;
    pen.beginPath();
    pen.arc(dot.x, dot.y, dot.r, 0, 2 * Math.PI);
    pen.globalAlpha = shot.chosen ? 1 : 0.45;
    pen.fillStyle = colourOf(dot.index);
    pen.fill();
    const isHere = place.value?.video === point.video && place.value.shot === point.shot;
    if (!shot.chosen && !isHere) continue;
    pen.globalAlpha = 1;
    pen.strokeStyle = ink;
    pen.lineWidth = isHere ? 3 : 1.2;
    pen.stroke();
  }
}

function choose(event: MouseEvent, map: ShotMap): void {
  const canvas = event.currentTarget as HTMLCanvasElement;
  let [best, nearest]: [ShotMap['points'][number] | null, number] = [null, 20];
  for (const point of map.points) {
    const dot = dotOf(point, canvas.clientWidth, canvas.clientHeight);
    if (!dot) continue;
    const distance = Math.hypot(dot.x - event.offsetX, dot.y - event.offsetY);
    if (distance < nearest) [best, nearest] = [point, distance];
  }
  if (best) place.value = { video: best.video, shot: best.shot };
}
