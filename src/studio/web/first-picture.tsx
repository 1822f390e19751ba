import { useEffect, useRef, useState } from 'preact/hooks';

import { pictureOf } from './api.js';

/** First pictures requested at a time: they take a while, browsers open few connections, and what plays needs one. */
const AT_ONCE = 3;

const waiting: (() => void)[] = [];
let asked = 0;

/** Calls `start` when it is its turn; returns what ends the turn, early or not. */
function takeTurn(start: () => void): () => void {
  let state: 'waiting' | 'asked' | 'over' = 'waiting';
  const begin = (): void => {
    state = 'asked';
    asked++;
    start();
  };
  if (asked < AT_ONCE) begin();
  else waiting.push(begin);
  return () => {
    if (state === 'waiting') waiting.splice(waiting.indexOf(begin), 1);
    if (state === 'asked') {
      asked--;
      waiting.shift()?.();
    }
    state = 'over';
  };
}

/** A picture near the beginning of a clip, analysed or not. */
export function FirstPicture({ id }: { readonly id: string }) {
  const [isAsked, setAsked] = useState(false);
  const end = useRef<(() => void) | null>(null);
  useEffect(() => (end.current = takeTurn(() => setAsked(true))), [id]);
  const src = isAsked ? pictureOf(id, 'first') : undefined;
  return <img src={src} alt="" width={64} height={36} onLoad={() => end.current?.()} onError={() => end.current?.()} />;
}
