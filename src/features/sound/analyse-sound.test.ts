import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { cached, hashOf, stampOf } from '../../../test/fixtures/cache.js';
import { runFfmpeg } from '../../../test/fixtures/run.js';
import { voice } from '../../../test/fixtures/voice.js';
import { toSeconds } from '../../base/index.js';
import { openSpeechNetwork, type SpeechNetwork, analyseSound } from '../index.js';
import { locateFfmpeg, probe } from '../../media/index.js';

/** A voice from 0.8 to 2.0 s and from 2.6 to 3.8 s, under pictures of four seconds. */
const SPOKEN = [[0.8, 2], [2.6, 3.8]] as const; // prettier-ignore
const BASE = { num: 1, den: 1000 };
const PICTURES = { start: 0, end: 4000, base: BASE };
let folder: string;
let network: SpeechNetwork;
beforeAll(async () => {
  const { path: ffmpeg } = await locateFfmpeg();
  const key = [hashOf('test/fixtures/voice.ts'), await stampOf(ffmpeg), 2];
  folder = await cached('spoken', key, async (into) => {
    const { buffer } = voice(SPOKEN, 4);
    const sound = ['-f', 's16le', '-ar', '16000', '-ac', '1', '-i', 'pipe:0'];
    const pictures = ['-f', 'lavfi', '-i', 'color=gray:s=64x36:r=25:d=4'];
    const make = (name: string, input: readonly string[], output: readonly string[]) =>
      runFfmpeg(
        ffmpeg,
        ['-v', 'error', ...input, ...sound, ...pictures, '-map', '1:v', '-map', '0:a', '-c:v', 'mpeg4', ...output, join(into, name)],
        [[new Uint8Array(buffer)]],
      ); // prettier-ignore
    await make('plain.mkv', [], ['-c:a', 'pcm_s16le']);
    await make('late.mkv', ['-itsoffset', '0.4'], ['-c:a', 'pcm_s16le']);
    await make('short.mkv', ['-t', '2.2'], ['-c:a', 'pcm_s16le']);
    await make('mute.mkv', [], ['-an']);
    // A track whose codec is not what its header says.
    await make('torn.mkv', [], ['-c:a', 'pcm_s16le']);
    const bytes = await readFile(join(into, 'torn.mkv'));
    bytes.write('A_VORBIS\0\0\0\0\0', bytes.indexOf('A_PCM/INT/LIT'));
    await writeFile(join(into, 'torn.mkv'), bytes);
  });
  network = openSpeechNetwork();
});
afterAll(() => network.close());

async function speechIn(name: string, by: SpeechNetwork | null, pictures = PICTURES) {
  const { track, warning } = await analyseSound(await probe(join(folder, name)), pictures, by);
  const seconds = (ticks: number): number => toSeconds(ticks, BASE);
  return { track, warning, speech: track?.speech.map(({ start, end }) => [seconds(start), seconds(end)]) };
}

function expectNear(found: readonly number[][] | undefined, expected: readonly (readonly number[])[]): void {
  expect(found).toHaveLength(expected.length);
  for (const [k, range] of expected.entries())
    for (const edge of [0, 1]) expect(Math.abs(found![k]![edge]! - range[edge]!)).toBeLessThan(0.2);
}

it('has no track where the file has none, and a warning where a track cannot be read', async () => {
  const mute = await probe(join(folder, 'mute.mkv'));
  expect(await analyseSound(mute, PICTURES, network)).toEqual({ track: null, warning: null });
  const { track, warning } = await speechIn('torn.mkv', network);
  expect(track).toBeNull();
  expect(warning).toMatch(/^has sound that could not be read to its end \(.+\); what is missing counts as silent\.$/);
  // The network is still there for the next video.
  expectNear((await speechIn('plain.mkv', network)).speech, SPOKEN);
});

it('finds speech by energy, and says so, if the network fails', async () => {
  const broken = openSpeechNetwork(pathToFileURL(join(folder, 'plain.mkv')));
  const { track, speech, warning } = await speechIn('plain.mkv', broken);
  await broken.close();
  expect(track).toMatchObject({ detector: 'energy' });
  expect(warning).toMatch(/^was searched for speech by energy alone: The speech network failed \(its file has sha256 /);
  expectNear(speech, SPOKEN);
});

describe.each(['network', 'energy'] as const)('by %s', (detector) => {
  const by = () => (detector === 'network' ? network : null);
  it('finds where somebody speaks, on the clock of the pictures', async () => {
    const { track, speech, warning } = await speechIn('plain.mkv', by());
    expect(warning).toBeNull();
    expect(track).toMatchObject({ detector });
    expect(track!.onsets).toHaveLength(400);
    expectNear(speech, SPOKEN);
  });

  it('counts from the first picture when that comes later than the sound, and keeps sound that starts late at its time', async () => {
    const later = await speechIn('plain.mkv', by(), { ...PICTURES, start: 500 });
    expectNear(later.speech, SPOKEN);
    expect(later.track!.onsets).toHaveLength(350);
    expectNear((await speechIn('late.mkv', by())).speech, [[1.2, 2.4], [3, 4]]); // prettier-ignore
  });

  it('hears nothing after the end of the sound, and no sound after the end of the pictures', async () => {
    expectNear((await speechIn('short.mkv', by())).speech, [SPOKEN[0]]);
    const cut = await speechIn('plain.mkv', by(), { ...PICTURES, end: 1600 });
    expect(cut.track!.speech.at(-1)!.end).toBe(1600);
    expect(cut.track!.onsets).toHaveLength(160);
  });
});
