import { resolve } from 'node:path';

import type { Listener } from '../base/index.js';
import { drawTopic } from '../demo/index.js';
import { locateFfmpeg } from '../media/index.js';

/** Draws the demo's videos into `folder` and returns it. */
export async function drawDemo(folder: string, onEvent: Listener, signal: AbortSignal): Promise<string> {
  const ffmpeg = await locateFfmpeg();
  const home = resolve(folder);
  onEvent({ type: 'stage-started', stage: 'draw', total: 1 });
  await drawTopic({
    folder: home,
    ffmpeg: ffmpeg.path,
    signal,
    onProgress: (fraction: number) => onEvent({ type: 'progress', stage: 'draw', fraction, item: null, frames: 0 }),
  });
  onEvent({ type: 'stage-done', stage: 'draw' });
  return home;
}
