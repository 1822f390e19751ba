import { execFile, execFileSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';

import { rulesAsDtd } from '../../src/timeline/fcpxml.case.js';
import {
  fileUrls,
  parseTimecode,
  relativeUrls,
  timelineFormats,
  timelineOfTopic,
  type Timeline,
} from '../../src/timeline/index.js';
import { AWKWARD_NAMES, footage } from '../../src/timeline/timeline.case.js';
import { all, at, parseXml } from '../../src/timeline/xml.case.js';
import { sampleDocument } from '../../src/render/report/sample.case.js';
import { locateFfmpeg, probe } from '../../src/media/index.js';
import { makeVideo, readBack } from '../fixtures/make.js';

const golden = resolve(import.meta.dirname, '../../src/timeline/golden');
let work: string;
let ffmpeg: string;
beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'throughline timelines '));
  ffmpeg = (await locateFfmpeg()).path;
});
afterAll(() => rm(work, { recursive: true, force: true }));

/** Skips the test where a program is missing, saying how to get it. */
function needs(context: TestContext, program: string, debian: string): void {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
  } catch {
    const sentence = `${program} is not installed, so this was skipped; on Debian: apt-get install ${debian}`;
    process.stderr.write(`${context.task.name}: ${sentence}\n`);
    context.skip(sentence);
  }
}

describe('readers that are not ours', () => {
  it('xmllint finds every XML file well-formed, and FCPXML valid by its published structure', async (context) => {
    needs(context, 'xmllint', 'libxml2-utils');
    await writeFile(join(work, 'fcpxml.dtd'), rulesAsDtd());
    const files = (await readdir(golden)).filter((name) => /xml$|\.mlt$/.test(name));
    expect(files).toHaveLength(8);
    for (const name of files) {
      execFileSync('xmllint', ['--noout', '--nonet', join(golden, name)]);
      if (name.endsWith('.fcpxml'))
        execFileSync('xmllint', ['--noout', '--nonet', '--dtdvalid', 'fcpxml.dtd', join(golden, name)], { cwd: work });
    }
    const broken = join(work, 'broken.fcpxml');
    await writeFile(broken, (await readFile(join(golden, 'tape.fcpxml'), 'utf8')).replace(/ ref="a1"/, ''));
    expect(() =>
      execFileSync('xmllint', ['--noout', '--dtdvalid', 'fcpxml.dtd', broken], { cwd: work, stdio: 'pipe' }),
    ).toThrow(/lacks|validate|ref/i);
  });

  it('ffmpeg reads the WebVTT chapters, cue for cue', async () => {
    const text = execFileSync(ffmpeg, ['-v', 'error', '-i', join(golden, 'mixed.chapters.vtt'), '-f', 'srt', '-'], { encoding: 'utf8' }); // prettier-ignore
    const times = [...text.matchAll(/(\S+) --> (\S+)\r?\n(.*)/g)].map((match) => [match[1], match[2]]);
    expect(times).toHaveLength(6);
    expect(times[5]).toEqual(['00:00:12,479', '00:00:14,081']);
    expect(text).toContain('Pier – café 0:02');
  });
});

/** A stretch of a file as a player is told: its first frame and number of frames, at the timeline's rate. */
type Stretch = { readonly path: string; readonly first: number; readonly frames: number };

const FRAMES_A_SECOND = 25;
const seconds = (time: string): number => {
  const [top = '0', bottom = '1'] = time.replace('s', '').split('/');
  return Number(top) / Number(bottom);
};
const framesOf = (length: number): number => Math.round(length * FRAMES_A_SECOND);

/** What each format says, read by the format's own rules. */
const readers: Readonly<Record<string, (text: string, timeline: Timeline) => Stretch[]>> = {
  edl: (text, timeline) =>
    [...text.matchAll(/^\d+ +(\S+) .* (\S+) (\S+) (\S+) (\S+)$\n(?:\*.*\n)*?\* SOURCE FILE: (.*)$/gm)].map((match) => {
      const [from = 0, , start = 0, end = 0] = match.slice(2, 6).map((label) => parseTimecode(label, timeline)!);
      const hour = match[1]!.startsWith('TAKE') ? 3600 * FRAMES_A_SECOND : 0;
      return { path: fileURLToPath(match[6]!), first: from - hour, frames: end - start };
    }),
  fcpxml(text) {
    const root = parseXml(text);
    const assets = new Map(all(root, 'asset').map((asset) => [asset.attributes['id'], asset]));
    return all(root, 'asset-clip').map(({ attributes }) => {
      const asset = assets.get(attributes['ref'])!;
      const start = seconds(attributes['start']!) - seconds(asset.attributes['start']!);
      const path = fileURLToPath(at(asset, 'media-rep').attributes['src']!);
      return { path, first: framesOf(start), frames: framesOf(seconds(attributes['duration']!)) };
    });
  },
  xmeml(text) {
    const video = at(parseXml(text), 'sequence', 'media', 'video');
    const paths = new Map(all(video, 'file').flatMap((file) => file.children.filter(({ name }) => name === 'pathurl').map((url) => [file.attributes['id'], url.text]))); // prettier-ignore
    return all(video, 'clipitem').map((item) => {
      const value = (...path: string[]): number => Number(at(item, ...path).text);
      const path = fileURLToPath(paths.get(at(item, 'file').attributes['id'])!.replace('localhost', ''));
      return { path, first: framesOf(value('in') / value('rate', 'timebase')), frames: value('end') - value('start') };
    });
  },
  otio(text) {
    const { children } = JSON.parse(text).tracks.children[0];
    return children.map((clip: any) => {
      const media = clip.media_references[clip.active_media_reference_key];
      const { start_time: start, duration } = clip.source_range;
      const first = (start.value - media.available_range.start_time.value) / start.rate;
      return {
        path: fileURLToPath(media.target_url),
        first: framesOf(first),
        frames: framesOf(duration.value / duration.rate),
      };
    });
  },
};

describe('melt plays the pictures of the summary', () => {
  it('from every cut list: a source whose timecode starts at one hour, and one of twice the rate', async (context) => {
    needs(context, 'melt', 'melt');
    const made = join(work, 'made.mov');
    await makeVideo(ffmpeg, made, { container: 'mov', frameCount: 150 });
    execFileSync(ffmpeg, [
      '-v',
      'error',
      '-i',
      made,
      '-c',
      'copy',
      '-timecode',
      '01:00:00:00',
      join(work, 'take #1 & 100%.mov'),
    ]);
    await makeVideo(ffmpeg, join(work, '-b.mp4'), { frameRate: { num: 50, den: 1 }, frameCount: 200, tones: [] });
    const document = sampleDocument([
      footage('take', { path: 'take #1 & 100%.mov', rate: { num: 25, den: 1 }, base: { num: 1, den: 12_800 }, shots: [33, 32, 41, 44], chosen: [1, 3], change: { timecode: '01:00:00:00' } }), // prettier-ignore
      footage('fast', { path: '-b.mp4', rate: { num: 50, den: 1 }, base: { num: 1, den: 12_800 }, shots: [40, 60, 100], chosen: [1], change: { audioTracks: 0 } }), // prettier-ignore
    ]);
    const timeline = timelineOfTopic(document, undefined, { locate: fileUrls(work) });
    const expected = [range(33, 65, 1), range(106, 150, 1), range(40, 100, 2)].flat();
    const profile = join(work, 'profile');
    await writeFile(profile, `description=test\nframe_rate_num=${FRAMES_A_SECOND}\nframe_rate_den=1\nwidth=192\nheight=108\nprogressive=1\nsample_aspect_num=1\nsample_aspect_den=1\ndisplay_aspect_num=16\ndisplay_aspect_den=9\ncolorspace=709\n`); // prettier-ignore
    for (const name of ['edl', 'fcpxml', 'xmeml', 'otio'] as const) {
      const stretches = readers[name]!(timelineFormats[name].write(timeline).text, timeline);
      const film = join(work, `${name}.mkv`);
      const clips = stretches.flatMap(({ path, first, frames }) => [path, `in=${first}`, `out=${first + frames - 1}`]);
      melt(['-profile', profile, ...clips], film);
      expect((await readBack(ffmpeg, film)).frameNumbers, name).toEqual(expected);
    }
    // MLT XML is melt's own: it is opened as a file, without help. Markers are no pictures.
    const comments = [{ id: '1', video: 'take', seconds: 2, by: 'Ana', text: 'dark', written: '', isDone: false }];
    for (const [name, locate] of [
      ['absolute', fileUrls(work)],
      ['relative', relativeUrls(work, work)],
    ] as const) {
      const { text } = timelineFormats.mlt.write(
        timelineOfTopic(document, undefined, { locate, marks: ['comments'], comments }),
      );
      const [cut, film] = ['mlt', 'mkv'].map((ending) => join(work, `${name}.${ending}`)) as [string, string];
      await writeFile(cut, text);
      melt([cut], film);
      expect((await readBack(ffmpeg, film)).frameNumbers, name).toEqual(expected);
    }
  });

  it('from MLT XML at rates of 1000/1001, and with names that break careless readers', async (context) => {
    needs(context, 'melt', 'melt');
    const [ntsc, base] = [
      { num: 30_000, den: 1001 },
      { num: 1, den: 30_000 },
    ];
    const plain = AWKWARD_NAMES.map((name, at) => ({ path: name, id: `v${at}`, chosen: 1 + (at % 2) }));
    const made = [0, 500].map((firstNumber) => ({ firstNumber, path: join(work, `from ${firstNumber}.mp4`) }));
    for (const { path, firstNumber } of made)
      await makeVideo(ffmpeg, path, { frameRate: ntsc, frameCount: 90, tones: [], firstNumber });
    for (const [at, { path }] of plain.entries()) {
      await mkdir(dirname(join(work, path)), { recursive: true });
      await copyFile(made[at % 2]!.path, join(work, path));
    }
    const document = sampleDocument(
      plain.map(({ id, path, chosen }) => footage(id, { path, rate: ntsc, base, shots: [29, 31, 30], chosen: [chosen], change: { audioTracks: 0 } })), // prettier-ignore
    );
    const cut = join(work, 'ntsc.mlt');
    await writeFile(
      cut,
      timelineFormats.mlt.write(timelineOfTopic(document, undefined, { locate: fileUrls(work) })).text,
    );
    melt([cut], join(work, 'ntsc.mkv'));
    expect((await readBack(ffmpeg, join(work, 'ntsc.mkv'))).frameNumbers).toEqual(
      plain.flatMap(({ chosen }) => (chosen === 1 ? range(29, 60, 1) : range(560, 590, 1))),
    );
  });
});

describe('OpenShot’s importers', () => {
  it.for(['xmeml', 'edl'] as const)(
    'make of %s a project with our clips, and play their pictures',
    async (name, context) => {
      needs(context, 'openshot-qt', 'openshot-qt');
      const frameRate = { num: 25, den: 1 };
      // Its library loses the last pictures of a file whose pictures are stored out of order.
      await makeVideo(ffmpeg, join(work, "it's #1 & 100%.mov"), {
        container: 'mov',
        frameCount: 150,
        hasBFrames: false,
      });
      await makeVideo(ffmpeg, join(work, 'fast.mp4'), { frameRate: { num: 50, den: 1 }, frameCount: 200, firstNumber: 500, tones: [], hasBFrames: false }); // prettier-ignore
      const base = { num: 1, den: 12_800 };
      const document = sampleDocument([
        footage('take', { path: "it's #1 & 100%.mov", rate: frameRate, base, shots: [33, 32, 31, 54], chosen: [1, 3], change: { timecode: '01:00:00:00' } }), // prettier-ignore
        footage('fast', { path: 'fast.mp4', rate: { num: 50, den: 1 }, base, shots: [40, 60, 100], chosen: [1], change: { audioTracks: 0 } }), // prettier-ignore
      ]);
      const timeline = timelineOfTopic(document, undefined, { locate: fileUrls(work) });
      const [cut, film] = [join(work, `openshot.${name}`), join(work, `openshot ${name}.mkv`)];
      const open = (text: string): Promise<any> => writeFile(cut, text).then(() => inOpenShot(name, cut, film));
      const { clips } = await open(timelineFormats[name].write(timeline, 'openshot').text);
      const place = ({ path, position, start, end }: any) => [path, ...[position, start, end].map(Math.round)];
      expect(clips.map(place)).toEqual([
        [join(work, "it's #1 & 100%.mov"), 0, 33, 65],
        [join(work, "it's #1 & 100%.mov"), 32, 96, 150],
        [join(work, 'fast.mp4'), 86, 20, 50],
      ]);
      for (const { position, start, end } of clips)
        for (const frame of [position, start, end]) expect(Math.abs(frame - Math.round(frame))).toBeLessThan(1e-6);
      expect(clips[0].isMuted).toBe(false);
      // Its library (0.2.7) may show an earlier picture, by two at most, where it seeks.
      const expected = [range(33, 65, 1), range(96, 150, 1), range(540, 600, 2)].flat();
      const seen = (await readBack(ffmpeg, film)).frameNumbers;
      expect(seen).toHaveLength(expected.length);
      seen.forEach((frame, at) => expect(Math.abs(frame! - expected[at]!), `frame ${at}`).toBeLessThanOrEqual(2));
      // What is written for other programs it cannot read: the reason for an option.
      await expect(open(timelineFormats[name].write(timeline).text)).rejects.toThrow(/IndexError|Missing File/);
    },
  );
});

/** Opens a cut list with OpenShot, which renders it; the clips of its project in its order, in frames. */
async function inOpenShot(name: 'edl' | 'xmeml', cut: string, film: string): Promise<unknown> {
  const script = resolve(import.meta.dirname, '../fixtures/import-in-openshot.py');
  // The system's Python: another one does not know the packages of the system.
  const run = promisify(execFile)('/usr/bin/python3', [script, name, cut, '192', '108', '25', '1', film], { timeout: 120_000 }); // prettier-ignore
  return JSON.parse((await run).stdout.trim());
}

describe('melt, from MLT XML', () => {
  it('plays a picture that a flag turns upright, in a timeline of its upright size', async (context) => {
    needs(context, 'melt', 'melt');
    const path = join(work, 'turned.mp4');
    await makeVideo(ffmpeg, path, { widthPx: 108, heightPx: 192, rotationDeg: 90, frameCount: 60, tones: [] });
    const { widthPx, heightPx } = await probe(path);
    expect([widthPx, heightPx]).toEqual([108, 192]);
    const change = { widthPx, heightPx, audioTracks: 0 };
    const document = sampleDocument([footage('turned', { path, rate: { num: 25, den: 1 }, base: { num: 1, den: 12_800 }, shots: [20, 40], chosen: [1], change })]); // prettier-ignore
    const [cut, film] = [join(work, 'turned.mlt'), join(work, 'turned.mkv')];
    await writeFile(
      cut,
      timelineFormats.mlt.write(timelineOfTopic(document, undefined, { locate: fileUrls('/') })).text,
    );
    melt([cut], film);
    expect((await readBack(ffmpeg, film, { portrait: true })).frameNumbers).toEqual(range(20, 60, 1));
  });

  it('plays a varying rate at the nearest standard one, off by a frame at most, and no more at its end', async (context) => {
    needs(context, 'melt', 'melt');
    const path = join(work, 'varying.mkv');
    const irregularMs = Array.from({ length: 200 }, (_, frame) => 40 * frame - (frame % 2 === 1 ? 20 : 0));
    await makeVideo(ffmpeg, path, { container: 'mkv', irregularMs, frameCount: 200, tones: [], hasBFrames: false });
    const document = sampleDocument([footage('varying', { path, rate: null, base: { num: 1, den: 1000 }, frameTicks: [20, 60], shots: [50, 150], chosen: [1], change: { audioTracks: 0 } })]); // prettier-ignore
    const timeline = timelineOfTopic(document, undefined, { locate: fileUrls('/') });
    expect(timeline.rate).toEqual({ num: 25, den: 1 });
    const [cut, film] = [join(work, 'varying.mlt'), join(work, 'varying out.mkv')];
    await writeFile(cut, timelineFormats.mlt.write(timeline).text);
    melt([cut], film);
    const seen = (await readBack(ffmpeg, film)).frameNumbers;
    expect(seen).toHaveLength(150);
    seen.forEach((frame, at) => expect(Math.abs(frame! - (50 + at)), `frame ${at}`).toBeLessThanOrEqual(1));
  });
});

/** Renders what melt is told to play, every picture once. */
function melt(args: readonly string[], film: string): void {
  // With a thread for reading ahead (real_time=-1), melt now and then waits for itself for ever.
  execFileSync('melt', [...args, '-consumer', `avformat:${film}`, 'vcodec=ffv1', 'an=1', 'real_time=0'], { stdio: 'ignore', timeout: 120_000 }); // prettier-ignore
}

function range(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.ceil((to - from) / step) }, (_, place) => from + place * step);
}
