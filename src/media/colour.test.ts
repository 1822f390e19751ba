import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { runFfmpeg } from '../../test/fixtures/run.js';
import { decode, encodeCuts, encodeReel, locateFfmpeg, planSdr, probe, readStill, type VideoInfo } from './index.js';

type Rgb = readonly [number, number, number];

/** A chart of 6 × 4 patches of 32 × 32 pixels: primaries, greys, and colours of skin, sky and leaves. */
const [ACROSS, DOWN, SIDE] = [6, 4, 32];
const SIZE = { widthPx: ACROSS * SIDE, heightPx: DOWN * SIDE };
const CHART: readonly Rgb[] = [
  [252, 0, 0], [0, 252, 0], [0, 0, 252], [252, 252, 0], [0, 252, 252], [252, 0, 252],
  [255, 255, 255], [200, 200, 200], [150, 150, 150], [100, 100, 100], [50, 50, 50], [20, 20, 20],
  [194, 150, 130], [115, 82, 68], [98, 122, 157], [87, 108, 67], [133, 128, 177], [103, 189, 170],
  [214, 126, 44], [80, 91, 166], [193, 90, 99], [94, 60, 108], [157, 188, 64], [224, 163, 46],
]; // prettier-ignore

/**
 * How far channels may be off, of 255: the largest error, which is in the dark channels of pure primaries, where 28 is a
 * thousandth of the light of white; the largest of the other patches; and the mean of all.
 */
const LIMITS = { largest: 30, ordinary: 8, mean: 3 };
const PRIMARIES = 6;

let folder: string;
let ffmpeg: string;

function drawChart(): Buffer {
  const pixels = Buffer.alloc(3 * SIZE.widthPx * SIZE.heightPx);
  for (let at = 0; at < pixels.length / 3; at++) {
    const [x, y] = [at % SIZE.widthPx, Math.floor(at / SIZE.widthPx)];
    pixels.set(CHART[Math.floor(y / SIDE) * ACROSS + Math.floor(x / SIDE)]!, 3 * at);
  }
  return pixels;
}

/** The mean colour of the middle of each patch. */
function patchesOf(pixels: Uint8Array, { widthPx, heightPx }: { widthPx: number; heightPx: number }): Rgb[] {
  return CHART.map((_, patch) => {
    const sum = [0, 0, 0];
    let count = 0;
    const [left, top] = [patch % ACROSS, Math.floor(patch / ACROSS)];
    for (let y = Math.ceil(((top + 0.35) * heightPx) / DOWN); y < ((top + 0.65) * heightPx) / DOWN; y++) {
      for (let x = Math.ceil(((left + 0.35) * widthPx) / ACROSS); x < ((left + 0.65) * widthPx) / ACROSS; x++) {
        for (let c = 0; c < 3; c++) sum[c]! += pixels[3 * (y * widthPx + x) + c]!;
        count++;
      }
    }
    return sum.map((value) => value / count) as unknown as Rgb;
  });
}

function expectTrue(found: readonly Rgb[], what: string): void {
  const errors = found.map((rgb, patch) => Math.max(...rgb.map((value, c) => Math.abs(value - CHART[patch]![c]!))));
  const all = found.flatMap((rgb, patch) => rgb.map((value, c) => Math.abs(value - CHART[patch]![c]!)));
  const measured = {
    largest: Math.max(...errors),
    ordinary: Math.max(...errors.slice(PRIMARIES)),
    mean: all.reduce((sum, each) => sum + each, 0) / all.length,
  };
  for (const [name, limit] of Object.entries(LIMITS)) {
    expect(measured[name as keyof typeof LIMITS], `${name} error of ${what}`).toBeLessThanOrEqual(limit);
  }
}

/** The chart in other colours: as a camera or a grading system would write it, with white at `nits`. */
async function makeChart(name: string, transfer: string, primaries: string, nits: number): Promise<VideoInfo> {
  const path = join(folder, `${name}.mp4`);
  const input = 'tin=bt709:pin=bt709:min=gbr:rin=full';
  const matrix = primaries === 'bt2020' ? 'bt2020nc' : 'bt709';
  const frames = Array.from({ length: 25 }, drawChart);
  await runFfmpeg(
    ffmpeg,
    [
      ...['-v', 'error', '-y', '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${SIZE.widthPx}x${SIZE.heightPx}`, '-i', 'pipe:0'],
      ...['-vf', `format=gbrp,zscale=${input}:t=${transfer}:p=${primaries}:m=${matrix}:r=limited:npl=${nits},format=yuv444p10le`],
      ...['-c:v', 'libx265', '-x265-params', `log-level=error:crf=6:colorprim=${primaries}:transfer=${transfer}:colormatrix=${matrix}`],
      ...['-tag:v', 'hvc1', path],
    ],
    [frames],
  ); // prettier-ignore
  const info = await probe(path);
  const sdr = await planSdr(info);
  return { ...info, ...(sdr ? { sdr } : {}) };
}

async function pixelsOfFilm(path: string): Promise<Buffer> {
  const filter = 'scale=in_color_matrix=bt709:flags=accurate_rnd+full_chroma_int+bitexact,format=rgb24';
  return (await runFfmpeg(ffmpeg, ['-v', 'error', '-i', path, '-frames:v', '1', '-vf', filter, '-f', 'rawvideo', 'pipe:1'])).stdout; // prettier-ignore
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-hdr-'));
  ffmpeg = (await locateFfmpeg()).path;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each([
  ['HLG, white at 100 cd/m²', 'arib-std-b67', 'bt2020', 100],
  ['HLG, white at 203 cd/m²', 'arib-std-b67', 'bt2020', 203],
  ['PQ, white at 100 cd/m²', 'smpte2084', 'bt2020', 100],
  ['PQ, white at 203 cd/m²', 'smpte2084', 'bt2020', 203],
  ['BT.2020 without HDR', 'bt709', 'bt2020', 100],
  ['Display P3', 'bt709', 'smpte432', 100],
])('a chart in %s', (title, transfer, primaries, nits) => {
  let info: VideoInfo;
  const source = () => ({ info, timeBase: info.timeBase, isDamaged: false, frameCount: 25, soundTrack: null });
  const stretch = () => ({ start: 0, end: info.timeBase.den });
  beforeAll(async () => {
    info = await makeChart(title.replaceAll(/\W+/g, '-'), transfer, primaries, nits);
  });

  it('has its true colours in films', { tags: 'slow' }, async () => {
    const films = [join(folder, 'cut.mp4'), join(folder, 'reel.mp4')];
    await encodeCuts({ ...source(), stretches: [stretch()], format: 'mp4', output: films[0]! });
    await encodeReel({
      ...{ parts: [{ ...source(), stretch: stretch() }], frame: { ...SIZE, rate: { num: 25, den: 1 } } },
      ...{ fit: 'letterbox', fadeFrames: 0, evenLoudness: false, format: 'mp4', output: films[1]! },
    });
    for (const film of films) {
      const { colour } = await probe(film);
      expect(colour).toMatchObject({ matrix: 'bt709', primaries: 'bt709', transfer: 'bt709' });
      expectTrue(patchesOf(await pixelsOfFilm(film), SIZE), film);
    }
  });

  it('has its true colours in stills and in what the network sees', async () => {
    const still = await readStill(source(), stretch());
    expectTrue(patchesOf(still.pixels, still), 'the still');
    for await (const { pictures } of decode(info, [{ name: 'a', ...SIZE, every: 1 }]).frames) {
      expectTrue(patchesOf(pictures['a']!, SIZE), 'the view');
      break;
    }
  });
});

it('leaves ordinary colours alone', async () => {
  const info = await makeChart('ordinary', 'bt709', 'bt709', 100);
  expect(info.sdr).toBeUndefined();
});
