import { useEffect, useRef } from 'preact/hooks';

import { mediaOf } from './api.js';

type Span = { readonly from: number; readonly to: number };

/** Plays stretches of an original one after the other, at once and by seeking: nothing has to be rendered first. */
export function Player({ video, clips }: { readonly video: string; readonly clips: readonly Span[] }) {
  const element = useRef<HTMLVideoElement>(null);
  const at = useRef(0);
  const key = JSON.stringify(clips);
  useEffect(() => {
    at.current = 0;
    const player = element.current;
    if (!player || clips.length === 0) return;
    const begin = (): void => {
      player.currentTime = clips[0]!.from;
      // Browsers refuse sound before the first click on a page; the button is there then.
      player.play().catch(() => undefined);
    };
    if (player.readyState > 0) begin();
    else player.addEventListener('loadedmetadata', begin, { once: true });
    let frame = 0;
    const watch = (): void => {
      const clip = clips[at.current];
      if (clip && player.currentTime >= clip.to - 0.01 && !player.seeking) {
        at.current++;
        const next = clips[at.current];
        if (next) player.currentTime = next.from;
        else {
          player.pause();
          at.current = 0;
          player.currentTime = clips[0]!.from;
        }
      }
      frame = requestAnimationFrame(watch);
    };
    frame = requestAnimationFrame(watch);
    return () => {
      cancelAnimationFrame(frame);
      player.removeEventListener('loadedmetadata', begin);
    };
  }, [video, key]);
  return <video id="player" ref={element} src={mediaOf(video)} controls playsInline preload="metadata" />;
}
