/*
 * Opens our cut lists with editing programs that are too heavy for CI, and compares every clip and every picture with ours:
 *
 *   apt-get install --no-install-recommends kdenlive shotcut blender ges1.0-tools gir1.2-ges-1.0 python3-gi \
 *     gstreamer1.0-libav gstreamer1.0-plugins-good gstreamer1.0-plugins-bad xvfb openbox xdotool dbus melt
 *   npx tsx scripts/open-in-editors.ts [Kdenlive …]
 *
 * A program that is not installed is skipped. The results, with versions, are in docs/editors.md.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Rational } from '../src/base/index.js';
import { locateFfmpeg } from '../src/media/index.js';
import { sampleDocument } from '../src/render/report/sample.case.js';
import { fileUrls, timelineFormats, timelineOfTopic, type Timeline } from '../src/timeline/index.js';
import { footage } from '../src/timeline/timeline.case.js';
import { makeVideo, readBack } from '../test/fixtures/make.js';

const TAKE = "it's #1 & 100% – é.mov";
const RATES: readonly Rational[] = [
  { num: 25, den: 1 },
  { num: 30_000, den: 1001 },
];
/** Starting a program and loading a project takes less. */
const MOST_MS = 300_000;

/** What a program made of a list: its clips as `file first end`, in frames of the timeline, and the pictures that play. */
type Opened = { readonly clips: readonly string[]; readonly pictures: readonly (number | null)[] };
type Case = { readonly folder: string; readonly timeline: Timeline; readonly rate: Rational };
type Program = {
  readonly name: string;
  readonly list: string;
  version(): string;
  open(given: Case, screen: NodeJS.ProcessEnv): Promise<Opened>;
};

const { path: ffmpeg } = await locateFfmpeg();
const run = (program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): string =>
  execFileSync(program, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], timeout: MOST_MS });

/** Two sources: one whose timecode begins at one hour, and one of twice the rate, whose pictures are numbered from 500. */
async function makeCase(folder: string, rate: Rational): Promise<Case> {
  await mkdir(folder, { recursive: true });
  const fast = { num: 2 * rate.num, den: rate.den };
  const made = join(folder, 'made.mov');
  await makeVideo(ffmpeg, made, { container: 'mov', frameRate: rate, frameCount: 150 });
  run(ffmpeg, ['-i', made, '-c', 'copy', '-timecode', '01:00:00:00', join(folder, TAKE)]);
  await makeVideo(ffmpeg, join(folder, 'fast.mp4'), { frameRate: fast, frameCount: 200, firstNumber: 500 });
  const base = { num: 1, den: rate.num * 2 };
  const change = { widthPx: 192, heightPx: 108 };
  const document = sampleDocument([
    footage('take', { path: TAKE, rate, base, shots: [33, 32, 41, 44], chosen: [1, 3], change: { ...change, timecode: '01:00:00:00' } }), // prettier-ignore
    footage('fast', { path: 'fast.mp4', rate: fast, base, shots: [40, 60, 100], chosen: [1], change }),
  ]);
  return { folder, rate, timeline: timelineOfTopic(document, undefined, { locate: fileUrls(folder) }) };
}

const count = (from: number, to: number, step = 1): number[] =>
  Array.from({ length: (to - from) / step }, (_, at) => from + at * step);
/** The stretches above, by hand. */
const EXPECTED: Opened = {
  clips: [`${TAKE} 33 65`, `${TAKE} 106 150`, 'fast.mp4 20 50'],
  pictures: [...count(33, 65), ...count(106, 150), ...count(540, 600, 2)],
};

/** Asks again until there is an answer. */
async function until<T>(ask: () => Promise<T | null> | T | null, what: string): Promise<T> {
  for (const end = Date.now() + MOST_MS; Date.now() < end; await sleep(500)) {
    const answer = await (async () => ask())().catch(() => null);
    if (answer !== null) return answer;
  }
  throw new Error(`${what} did not come.`);
}

/** Opens a project with a program that has a window, has it saved, and reads what was saved. */
async function saveAgain(
  { folder, rate }: Case,
  [program, ...args]: readonly [string, ...string[]],
  cut: string,
  screen: NodeJS.ProcessEnv,
  save: (window: string, pid: number) => void,
): Promise<Opened> {
  const ours = await readFile(cut, 'utf8');
  // A folder of its own: no settings, nothing remembered of a program that was killed.
  const own = await mkdtemp(join(folder, 'home-'));
  const env = { ...screen, HOME: own, TMPDIR: own };
  const log = await open(join(folder, `${program}.log`), 'w');
  const child = spawn(program, [...args, cut], { env, stdio: ['ignore', log.fd, log.fd] });
  try {
    const title = basename(cut).replace('.kdenlive', ' /');
    const search = ['search', '--onlyvisible', '--pid', String(child.pid), '--name', `^${title}`];
    const window = await until(() => run('xdotool', search, screen).trim() || null, `A window of ${program}`);
    const saved = await until(async () => {
      // The window is there before the timeline is.
      await sleep(15_000);
      save(window, child.pid!);
      await sleep(1000);
      const text = await readFile(cut, 'utf8');
      return text !== ours && text.trimEnd().endsWith('</mlt>') ? text : null;
    }, `What ${program} saved`);
    const film = join(folder, `${program}.mkv`);
    // Behind the last clip, Kdenlive plays black.
    const played = ['in=0', `out=${EXPECTED.pictures.length - 1}`];
    run('melt', [cut, ...played, '-consumer', `avformat:${film}`, 'vcodec=ffv1', 'an=1', 'real_time=0']);
    return { clips: clipsOf(saved, rate), pictures: (await readBack(ffmpeg, film)).frameNumbers };
  } finally {
    child.kill('SIGKILL');
    await log.close();
  }
}

/** The clips of the track of pictures of a saved project, which counts in seconds. */
function clipsOf(project: string, rate: Rational): string[] {
  const frames = (clock: string): number =>
    Math.round((clock.split(':').reduce((sum, part) => 60 * sum + Number(part), 0) * rate.num) / rate.den);
  const names = new Map(
    [...project.matchAll(/<(?:producer|chain) id="([^"]+)".*?<property name="resource">([^<]*)/gs)].map(
      ([, id, path = '']) => [id, basename(path.replaceAll('&amp;', '&'))],
    ),
  );
  const tracks = [...project.matchAll(/<playlist id="(?!main_bin|background)[^"]*">(.*?)<\/playlist>/gs)].map((found) => found[1]!); // prettier-ignore
  const pictures = tracks.find((track) => track.includes('<entry') && !track.includes('audio_track'))!;
  return [...pictures.matchAll(/<entry producer="([^"]+)" in="([^"]+)" out="([^"]+)"/g)].map(
    ([, id, from = '', to = '']) => `${names.get(id)} ${frames(from)} ${frames(to) + 1}`,
  );
}

const programs: readonly Program[] = [
  {
    name: 'Kdenlive',
    list: '`mlt`, `--for kdenlive`',
    version: () => /kdenlive ([\d.]+)/.exec(run('dpkg-query', ['-W', '-f=kdenlive ${Version}', 'kdenlive']))![1]!,
    async open(given, screen) {
      const cut = join(given.folder, 'cut.kdenlive');
      await writeFile(cut, timelineFormats.mlt.write(given.timeline, 'kdenlive').text);
      const action = ['/kdenlive/MainWindow_1', 'org.kde.KMainWindow.activateAction', 'string:file_save'];
      return saveAgain(given, ['kdenlive'], cut, screen, (_, pid) =>
        run('dbus-send', ['--type=method_call', `--dest=org.kde.kdenlive-${pid}`, ...action], screen),
      );
    },
  },
  {
    name: 'Shotcut',
    list: '`mlt`',
    version: () => /[\d.]+/.exec(run('dpkg-query', ['-W', '-f=${Version}', 'shotcut']))![0],
    async open(given, screen) {
      const cut = join(given.folder, 'shotcut.mlt');
      await writeFile(cut, timelineFormats.mlt.write(given.timeline, 'shotcut').text);
      return saveAgain(given, ['shotcut', '--noupgrade'], cut, screen, (window) =>
        run('xdotool', ['windowactivate', '--sync', window, 'key', 'ctrl+s'], screen),
      );
    },
  },
  {
    name: 'GStreamer Editing Services (Pitivi)',
    list: '`xges`',
    version: () => /[\d.]+/.exec(run('dpkg-query', ['-W', '-f=${Version}', 'ges1.0-tools']))![0],
    async open({ folder, timeline, rate }, screen) {
      const [cut, film] = ['cut.xges', 'ges.mkv'].map((name) => join(folder, name)) as [string, string];
      await writeFile(cut, timelineFormats.xges.write(timeline).text);
      const look = `import gi, json, sys
gi.require_version('GES', '1.0')
from gi.repository import GES, GLib, Gst
Gst.init(None)
GES.init()
loop, project = GLib.MainLoop(), GES.Project.new(sys.argv[1])
project.connect('loaded', lambda *_: loop.quit())
timeline = project.extract()
loop.run()
print(json.dumps([[c.get_uri(), c.get_inpoint(), c.get_duration(), c.get_start()] for l in timeline.get_layers() for c in l.get_clips()]))`;
      const [project, target] = [cut, film].map((path) => fileUrls('/')(path)) as [string, string];
      const placed: [string, number, number, number][] = JSON.parse(run('/usr/bin/python3', ['-c', look, project], screen)); // prettier-ignore
      const frames = (nanoseconds: number): number => Math.round((nanoseconds * rate.num) / (1e9 * rate.den));
      const starts = placed.map(([, , , start]) => frames(start));
      if (starts.join() !== timeline.clips.map(({ recordIn }) => recordIn).join()) throw new Error(`Clips begin at ${starts.join(', ')}.`); // prettier-ignore
      run('ges-launch-1.0', ['--load', project, '-o', target, '-f', 'video/x-matroska:video/x-ffv,ffvversion=1'], screen); // prettier-ignore
      return {
        clips: placed.map(([url, from, length]) => `${basename(decodeURIComponent(url))} ${frames(from)} ${frames(from) + frames(length)}`), // prettier-ignore
        pictures: (await readBack(ffmpeg, film)).frameNumbers,
      };
    },
  },
  {
    name: 'Blender',
    list: '`json`, by `scripts/place-in-blender.py`',
    version: () => /[\d.]+/.exec(run('blender', ['--version']))![0],
    async open({ folder, timeline, rate }) {
      const [cut, film, clips] = ['cut.timeline.json', 'blender.mkv', 'blender.json'].map((name) => join(folder, name)) as [string, string, string]; // prettier-ignore
      await writeFile(cut, timelineFormats.json.write(timeline).text);
      const place = join(import.meta.dirname, 'place-in-blender.py');
      const look = `import bpy, json
strips = [strip for strip in bpy.context.scene.sequence_editor.sequences if strip.type == 'MOVIE']
place = lambda s: [bpy.path.basename(s.filepath), s.frame_final_start - s.frame_start, s.frame_final_end - s.frame_start, s.frame_final_start]
json.dump([place(s) for s in sorted(strips, key=lambda s: s.frame_final_start)], open(${JSON.stringify(clips)}, 'w'))
render = bpy.context.scene.render
render.image_settings.file_format = 'FFMPEG'
render.ffmpeg.format, render.ffmpeg.codec, render.ffmpeg.audio_codec = 'MKV', 'FFV1', 'NONE'
render.filepath = ${JSON.stringify(film)}
bpy.ops.render.render(animation=True)`;
      run('blender', ['--background', '--factory-startup', '--python-exit-code', '1', '--python', place, '--python-expr', look, '--', cut]); // prettier-ignore
      const placed: [string, number, number, number][] = JSON.parse(await readFile(clips, 'utf8'));
      const starts = placed.map(([, , , start]) => start);
      if (starts.join() !== timeline.clips.map(({ recordIn }) => recordIn + 1).join()) throw new Error(`Strips begin at ${starts} at ${rate.num}/${rate.den}.`); // prettier-ignore
      return {
        clips: placed.map(([name, from, to]) => `${name} ${from} ${to}`),
        pictures: (await readBack(ffmpeg, film)).frameNumbers,
      };
    },
  },
];

const asked = process.argv.slice(2);
const isAsked = ({ name }: Program): boolean => asked.length === 0 || asked.some((start) => name.startsWith(start));
const work = await mkdtemp(join(tmpdir(), 'throughline editors '));
const children: ChildProcess[] = [];
const start = (program: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess => {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  return child;
};
const firstLine = async (child: ChildProcess): Promise<string> => String((await once(child.stdout!, 'data'))[0]).trim();
try {
  await mkdir(join(work, 'run'), { mode: 0o700 });
  const home = { ...process.env, HOME: work, XDG_RUNTIME_DIR: join(work, 'run') };
  const display = await firstLine(start('Xvfb', ['-noreset', '-displayfd', '1', '-screen', '0', '1600x1000x24'], home));
  const bus = await firstLine(start('dbus-daemon', ['--session', '--nofork', '--print-address=1'], home));
  const screen = { ...home, DISPLAY: `:${display}`, DBUS_SESSION_BUS_ADDRESS: bus };
  start('openbox', [], screen);
  const cases = await Promise.all(RATES.map((rate, at) => makeCase(join(work, `case ${at}`), rate)));
  for (const { name, list, version, open: openWith } of programs.filter(isAsked)) {
    let found: string;
    try {
      found = version();
    } catch {
      console.log(`| ${name} | not installed | ${list} | – |`);
      continue;
    }
    for (const given of cases) {
      const { clips, pictures } = await openWith(given, screen).catch((error: Error) => ({ clips: [error.message], pictures: [] })); // prettier-ignore
      const isSame = clips.join() === EXPECTED.clips.join();
      const off = EXPECTED.pictures.map((picture, at) => Math.abs((pictures[at] ?? Infinity) - picture!));
      const result = `${isSame ? 'the same clips' : `other clips: ${clips.join(', ')}`}; ${pictures.length} of ${EXPECTED.pictures.length} pictures, off by ${Math.max(...off)} at most`; // prettier-ignore
      console.log(`| ${name} | ${found} | ${list} at ${given.rate.num}/${given.rate.den} | ${result} |`);
      if (!isSame || off.some((each) => each > 0)) process.exitCode = 1;
    }
  }
} finally {
  for (const child of children.toReversed()) child.kill();
  await rm(work, { recursive: true, force: true, maxRetries: 5 });
}
