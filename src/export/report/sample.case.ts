import { summaryDocument, type SummaryDocument, type SummaryShot, type VideoSummary } from '../../summary/index.js';

const base = { num: 1, den: 1000 };

/** A shot of two seconds with plain numbers; `change` what the test is about. */
export function sampleShot(index: number, change: Partial<SummaryShot> = {}): SummaryShot {
  return {
    index,
    startFrame: index * 50,
    endFrame: (index + 1) * 50,
    range: { start: index * 2000, end: (index + 1) * 2000, base },
    rank: index,
    score: 1,
    own: 1,
    shared: 0,
    chosen: false,
    support: [],
    ...change,
  };
}

/** A video of such shots; its clips are its chosen shots one by one. */
export function sampleVideo(id: string, shots: SummaryShot[], change: Partial<VideoSummary> = {}): VideoSummary {
  const first = shots[0]?.range.start ?? 0;
  const end = shots.at(-1)?.range.end ?? 2000;
  return {
    id,
    path: `${id}.mp4`,
    sha256: '0'.repeat(64),
    bytes: 1_234_567,
    codec: 'h264',
    widthPx: 640,
    heightPx: 360,
    sampleAspect: { num: 1, den: 1 },
    frameRate: { num: 30000, den: 1001 },
    timeBase: base,
    frames: Math.max(1, shots.length * 50),
    range: { start: first, end, base },
    audioTracks: 1,
    shots,
    clips: shots
      .filter((shot) => shot.chosen)
      .map(({ startFrame, endFrame, range }) => ({ startFrame, endFrame, range })),
    solver: { iterations: 12, converged: true, residual: 3e-8 },
    film: `films/${id}.mp4`,
    storyboard: `storyboards/${id}.png`,
    ...change,
  };
}

/** A whole document, held against the published schema. */
export function sampleDocument(videos: VideoSummary[], change: Partial<SummaryDocument> = {}): SummaryDocument {
  return summaryDocument.parse({
    schema: 'summary.1',
    throughline: '0.1.0',
    topic: 'harbour',
    options: { length: '15%' },
    model: { name: 'small', sha256: 'f'.repeat(64) },
    videos,
    skipped: [],
    notes: [],
    ...change,
  });
}

/** Two videos; the second shot of the first is chosen and stands for the first shot of the second. */
export function samplePair(): SummaryDocument {
  return sampleDocument([
    sampleVideo('a', [
      sampleShot(0, { score: 0, own: 0, rank: 1 }),
      sampleShot(1, {
        score: 5,
        own: 3,
        shared: 4,
        rank: 0,
        chosen: true,
        support: [{ video: 'b', share: 0.75, shot: 0 }],
      }),
    ]),
    sampleVideo('b', [sampleShot(0, { chosen: true }), sampleShot(1)]),
  ]);
}
