import { random, UsageError } from '../../src/base/index.js';
import type { Clip, Selection, Steering, Topic } from '../../src/studio/contract.js';
import { applyCommand, type TopicDocument } from '../../src/studio/document.js';
import type { Backend } from '../../src/studio/server.js';
import { UNOPENED } from '../../src/studio/session.js';

/**
 * A topic of any size without videos: clouds of shots with random scores, other ones at every balance. Of a hundred videos, the
 * eighth shows the same as the seventh, and the first shot of the fourth is bad.
 */
export function drawnBackend(videoCount: number, shotCount: number): Backend {
  let document: TopicDocument = {
    ...{ revision: 0, past: [], future: [], versions: [] },
    steering: { ...UNOPENED.document.steering, concept: '60s' },
  };
  const nameOf = (video: number): string => `video-${video}.mp4`;
  const selectionAt = (steering: Steering): Selection => {
    const { next } = random(Math.round(1 + 100 * steering.shared));
    const videos = Array.from({ length: videoCount }, (_, video) => ({
      ...{ id: `v${video}`, name: nameOf(video), seconds: 3 * shotCount, chosenSeconds: 0.45 * shotCount },
      ...{ remarks: [], clips: [], belonging: null, frameRate: 25 },
      doubleOf: video % 100 === 7 ? `v${video - 1}` : null,
      shots: Array.from({ length: shotCount }, (_, index) => {
        const score = next();
        return {
          ...{ index, from: 3 * index, to: 3 * index + 3, rank: index, score, own: score, shared: 0 },
          ...{ chosen: score > 0.85, vetoed: false, bad: video % 100 === 3 && index === 0 ? 'badly exposed' : null },
          pinned: steering.pin.includes(`${nameOf(video)}#${index + 1}`),
        };
      }),
    }));
    return { steering, videos: videos.filter(({ name }) => !steering.leftOut.includes(name)), film: null };
  };
  const clips = Array.from({ length: videoCount }, (_, video): Clip => ({
    ...{ id: `v${video}`, name: nameOf(video), seconds: 3 * shotCount, state: 'analysed', fraction: 1 },
    ...{ playback: 'original', made: 0, problem: null },
  }));
  const { normal } = random(7);
  const inside = (value: number): number => Math.min(1, Math.max(0, value));
  const points = Array.from({ length: videoCount * shotCount }, (_, at) => {
    const video = Math.floor(at / shotCount);
    const place = { x: 0.5 + 0.3 * Math.cos(video), y: 0.5 + 0.3 * Math.sin(1.7 * video) };
    return { video: `v${video}`, shot: at % shotCount, x: inside(place.x + 0.09 * normal()), y: inside(place.y + 0.09 * normal()) }; // prettier-ignore
  });
  const position = () => ({
    ...{ revision: document.revision, steering: document.steering, versions: [...document.versions] },
    ...{ undo: document.past.at(-1)?.label ?? null, redo: document.future.at(-1)?.label ?? null },
  });
  const refused = (): Promise<never> => Promise.reject(new UsageError('not-here', 'There are no videos here.'));
  const handlers: Partial<Backend['handlers']> = {
    readTopic: async (): Promise<Topic> => ({
      ...UNOPENED,
      ...{ name: 'drawn', folder: 'drawn', known: videoCount, maxUpload: 1, clips, document: position() },
      selection: selectionAt(document.steering),
    }),
    map: async () => ({ points }),
    preview: async ({ body }) => selectionAt(body),
    edit: async ({ body: { command } }) => {
      document = applyCommand(document, command);
      return { document: position(), selection: selectionAt(document.steering) };
    },
    track: async () => ({
      loudness: Array.from({ length: 600 }, (_, at) => 0.5 + 0.5 * Math.sin(at)),
      speech: [],
      shots: [],
    }),
  };
  return {
    handlers: new Proxy(handlers, { get: (known, name) => Reflect.get(known, name) ?? refused }) as Backend['handlers'],
    ...{ picture: async () => null, media: () => null, results: () => null, studyCsv: refused },
    subscribe(listener) {
      listener('work', UNOPENED.work);
      return () => undefined;
    },
  };
}
