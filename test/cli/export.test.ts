import { execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { runCli } from '../../src/cli/program.js';
import { proxyPath } from '../../src/media/index.js';
import { sampleConcept } from '../../src/render/report/sample.case.js';
import { mixedTopic } from '../../src/timeline/timeline.case.js';
import { parseSummary, serialiseSummary } from '../../src/summary/index.js';
import { programEntry } from '../fixtures/program.js';

const entry = await programEntry();
let home: string;

type Result = { code: number | null; stdout: string; stderr: string };

/** Runs the real program in a process of its own. */
function throughline(...args: string[]): Promise<Result> {
  return new Promise((settle) => {
    const child = spawn(process.execPath, [entry, ...args], { cwd: home, env: { ...process.env, NO_COLOR: '1' } }); // prettier-ignore
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.on('close', (code) => settle({ code, stdout, stderr }));
  });
}

/** Runs the same command line in this process, which spares the seconds a start takes. */
async function inProcess(...args: string[]): Promise<Result> {
  const seen = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      seen[name] += String(chunk);
      return true;
    }),
  );
  const before = process.cwd();
  process.chdir(home);
  try {
    const code = await runCli(args);
    return { code, ...seen };
  } finally {
    process.chdir(before);
    for (const spy of spies) spy.mockRestore();
  }
}

/** A finished run: videos in `Harbour & pier`, the record in `out`. */
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-export-'));
  for (const { path } of mixedTopic().videos) {
    await mkdir(join(home, 'Harbour & pier', path, '..'), { recursive: true });
    await writeFile(join(home, 'Harbour & pier', path), 'footage');
  }
  await mkdir(join(home, 'out'));
  await writeFile(join(home, 'out', 'summary.json'), serialiseSummary(mixedTopic()));
});
afterAll(() => rm(home, { recursive: true, force: true }));

describe('export and import', () => {
  it(
    'write a cut list beside the summary, find the videos, and read it back after editing',
    { tags: 'slow' },
    async () => {
      const done = await throughline('export', 'out/summary.json', '--format', 'edl', '--rate', '29.97df');
      expect(done).toMatchObject({ code: 0, stdout: `Wrote ${join(home, 'out', 'Harbour & pier.edl')}\n` });
      expect(done.stderr).toMatch(/-phone 100%\.mp4 has a varying frame rate/);
      expect(done.stderr).not.toContain('Not found');
      const text = await readFile(join(home, 'out', 'Harbour & pier.edl'), 'utf8');
      expect(text).toContain(`* SOURCE FILE: file://${home}/Harbour%20%26%20pier/day%201/Drone`);

      await writeFile(join(home, 'cut.edl'), text.replace('01:00:02;00 01:00:05;00', '01:00:02;10 01:00:04;20'));
      const back = await throughline('import', 'cut.edl', '--summary', 'out/summary.json', '--out', 'out/new.json');
      expect(back).toMatchObject({ code: 0, stdout: 'Wrote out/new.json\n' });
      const { videos, notes } = parseSummary(await readFile(join(home, 'out', 'new.json'), 'utf8'));
      expect(videos[0]!.clips.map((clip) => [clip.startFrame, clip.endFrame])).toEqual([[70, 140], [195, 270]]); // prettier-ignore
      expect(videos.slice(1)).toEqual(mixedTopic().videos.slice(1));
      expect(notes).toEqual(['Clips were taken from "cut.edl".']);
    },
  );

  it('take one video, another file and relative paths', async () => {
    const args = ['--format', 'otio', '--video', 'pier', '--out', 'lists/pier.otio', '--paths', 'relative'];
    expect(await inProcess('export', 'out/summary.json', ...args)).toMatchObject({ code: 0, stderr: '' });
    const raw = await readFile(join(home, 'lists', 'pier.otio'), 'utf8');
    expect(raw).toContain('"target_url": "../Harbour%20%26%20pier/day%201/Pier%20%E2%80%93%20caf%C3%A9.ts"');
    expect(await readdir(join(home, 'lists'))).toEqual(['pier.otio']);
  });

  it('write for a program in the format it opens best, with videos where that machine has them', async () => {
    for (const [program, ending, says] of [
      ['openshot', '.xml', `<pathurl>D:/cut/slow.mp4</pathurl>`],
      ['kdenlive', '.kdenlive', '<property name="resource">D:/cut/slow.mp4</property>'],
      ['shotcut', '.mlt', '<property name="resource">D:/cut/slow.mp4</property>'],
      ['resolve', '.fcpxml', 'src="file:///D:/cut/slow.mp4"'],
      ['premiere', '.xml', '<pathurl>file://localhost/D:/cut/slow.mp4</pathurl>'],
      ['finalcut', '.fcpxml', 'src="file:///D:/cut/slow.mp4"'],
    ] as const) {
      const out = `for/${program}${ending}`;
      const args = ['export', 'out/summary.json', '--for', program, '--video', 'slow', '--media-root', 'D:\\cut'];
      expect(await inProcess(...args, '--out', out)).toMatchObject({ code: 0, stderr: '' });
      expect(await readFile(join(home, out), 'utf8')).toContain(says);
      const usual = await inProcess(...args);
      expect(usual.stdout).toBe(`Wrote ${join(home, 'out', `slow${ending}`)}\n`);
    }
  });

  it('take good takes, runners-up, and the comments of the studio that are near the summary', async () => {
    await mkdir(join(home, 'topic', 'summary'), { recursive: true });
    await writeFile(join(home, 'topic', 'summary', 'summary.json'), serialiseSummary(mixedTopic()));
    const said = { video: 'pier', seconds: 3, by: 'Ana', text: 'too dark', written: '', isDone: false };
    const comments = [
      { ...said, id: '1' },
      { ...said, id: '2', seconds: 0.5, text: 'earlier' },
    ];
    await writeFile(join(home, 'topic', 'comments.json'), JSON.stringify({ schema: 'comments.1', comments }));
    const clipsOf = async (...flags: string[]): Promise<any[]> => {
      const args = ['export', 'topic/summary/summary.json', '--format', 'json', '--video', 'pier', ...flags];
      const { code, stdout } = await inProcess(...args);
      expect(code).toBe(0);
      return JSON.parse(await readFile(stdout.trim().replace('Wrote ', ''), 'utf8')).clips;
    };
    const texts = (clips: any[]): string[] => clips.flatMap(({ markers = [] }) => markers.map(({ text }: any) => text));
    const summary = await clipsOf();
    expect([summary.length, texts(summary)]).toEqual([1, ['too dark']]);
    const stringout = await clipsOf('--stringout');
    expect([stringout.length, texts(stringout)]).toEqual([3, ['earlier', 'too dark']]);
    const selects = await clipsOf('--selects', '--markers', 'none');
    expect([selects.map(({ enabled }) => enabled ?? true), texts(selects)]).toEqual([[false, true], []]);
    expect(await readdir(join(home, 'topic', 'summary'))).toEqual(expect.arrayContaining(['pier-selects.timeline.json', 'pier-stringout.timeline.json'])); // prettier-ignore
    const wrong = await inProcess('export', 'topic/summary/summary.json', '--format', 'edl', '--comments', 'topic/summary/summary.json'); // prettier-ignore
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('Expected comments in "topic/summary/summary.json"') }); // prettier-ignore
  });

  it('name the small copy that the studio made of a video, as long as the video is the same', async () => {
    const [folder, list] = [join(home, 'copied'), join(home, 'copied', 'summary', 'slow.timeline.json')];
    await mkdir(join(folder, 'summary'), { recursive: true });
    await mkdir(join(folder, 'proxies'));
    await writeFile(join(folder, 'slow.mp4'), 'a video');
    await writeFile(join(folder, 'summary', 'summary.json'), serialiseSummary(mixedTopic()));
    const made = await proxyPath(join(folder, 'proxies'), join(folder, 'slow.mp4'));
    const proxyOf = async (format: 'json' | 'fcpxml' | 'otio', ...flags: string[]): Promise<string | undefined> => {
      const args = ['--video', 'slow', '--media', 'copied', '--format', format, '--out', list, ...flags];
      expect(await inProcess('export', 'copied/summary/summary.json', ...args)).toMatchObject({ code: 0 });
      const text = await readFile(list, 'utf8');
      if (format === 'fcpxml') return /kind="proxy-media" src="([^"]*)"/.exec(text)?.[1];
      if (format === 'json') return JSON.parse(text).sources[0].proxy;
      const { media_references: media, active_media_reference_key: key } = JSON.parse(text).tracks.children[0].children[0]; // prettier-ignore
      expect(media[key].target_url).toContain('slow.mp4');
      return media['PROXY_MEDIA']?.target_url;
    };
    expect(await proxyOf('json')).toBeUndefined();
    await writeFile(made, 'a small copy');
    for (const format of ['json', 'fcpxml', 'otio'] as const) expect(await proxyOf(format)).toBe(`file://${made}`);
    expect(await proxyOf('otio', '--paths', 'relative')).toBe(`../proxies/${basename(made)}`);
    expect(await proxyOf('json', '--media-root', '/Volumes/x')).toBeUndefined();
    await writeFile(join(folder, 'slow.mp4'), 'another video');
    expect(await proxyOf('json')).toBeUndefined();
  });

  it('take the film of the topic where there is one, and only its videos', async () => {
    const document = mixedTopic();
    const [first, second] = document.videos.map((video) => video.id) as [string, string];
    const concept = sampleConcept(document.videos, [[second, 0], [first, 1]]); // prettier-ignore
    await mkdir(join(home, 'film'));
    await writeFile(join(home, 'film', 'summary.json'), serialiseSummary({ ...document, concept }));
    const sourcesOf = async (...flags: string[]): Promise<string[]> => {
      const { code, stdout } = await inProcess('export', 'film/summary.json', '--format', 'json', ...flags);
      expect(code).toBe(0);
      const written = JSON.parse(await readFile(stdout.trim().replace('Wrote ', ''), 'utf8'));
      return written.clips.map((clip: { source: string }) => clip.source);
    };
    expect(await sourcesOf()).toEqual([second, first]);
    expect(await sourcesOf('--concept', '--out', 'film/named.json')).toEqual([second, first]);
    expect((await sourcesOf('--topic')).length).toBeGreaterThan(2);
    expect(new Set(await sourcesOf('--video', first))).toEqual(new Set([first]));
    expect(await readdir(join(home, 'film'))).toContain('Harbour & pier-concept.timeline.json');
    const none = await inProcess('export', 'out/summary.json', '--format', 'json', '--concept');
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('found none') });
  });

  it('take captions along that are beside the videos', async () => {
    const args = ['export', 'out/summary.json', '--format', 'csv', '--video', 'slow', '--captions', 'vtt'];
    const none = await inProcess(...args);
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('Expected captions beside the videos') });
    // The summary plays 33 of 59.94 frames a second to 128: from 0.551 s to 2.135 s.
    const srt = '1\n00:00:00,000 --> 00:00:01,000\nhello\n\n2\n00:00:03,000 --> 00:00:04,000\nlater\n';
    await writeFile(join(home, 'Harbour & pier', 'slow.srt'), srt);
    const done = await inProcess(...args);
    expect(done).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Wrote ${join(home, 'out', 'slow.vtt')}\n`),
    });
    const vtt = await readFile(join(home, 'out', 'slow.vtt'), 'utf8');
    expect(vtt).toBe('WEBVTT\n\n1\n00:00:00.000 --> 00:00:00.449\nhello\n');
  });

  it('read a list as the film of the topic', async () => {
    await writeFile(join(home, 'film.edl'), '001 SLOW V C 00:59:59:30 01:00:00:30 00:00:00:00 00:00:01:00\n');
    const args = [
      'import',
      'film.edl',
      '--summary',
      'out/summary.json',
      '--film',
      '--out',
      'film.json',
      '--rate',
      '59.94',
    ];
    expect(await inProcess(...args)).toMatchObject({ code: 0, stderr: '', stdout: 'Wrote film.json\n' });
    expect(JSON.parse(await readFile(join(home, 'film.json'), 'utf8'))).toEqual({
      pin: ['slow.mp4@0.000-1.001'],
      concept: '1.001s',
      topicSequence: ['slow.mp4#1'],
    });
  });

  it('say when videos are not where they look', async () => {
    const args = ['--format', 'csv', '--video', 'slow', '--media', 'elsewhere', '--out', 'slow.csv'];
    const { code, stderr } = await inProcess('export', 'out/summary.json', ...args);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/Not found in ".*elsewhere": slow\.mp4\..*--media/)]);
  });

  it('say that a summary is too large to be read whole', async () => {
    const file = await open(join(home, 'large.json'), 'w');
    await file.truncate(256 * 2 ** 20 + 1);
    await file.close();
    const { code, stderr } = await inProcess('export', 'large.json', '--format', 'edl');
    expect(stderr).toBe('throughline: Expected at most 256 MiB in "large.json", because it is read whole, found 257 MiB. Summarise the videos as several smaller topics.\n'); // prettier-ignore
    expect(code).toBe(2);
  });

  it.skipIf(process.platform === 'win32')('leave a pipe or a device where it is', async () => {
    execFileSync('mkfifo', [join(home, 'pipe')]);
    for (const args of [
      ['export', 'out/summary.json', '--format', 'edl', '--out', 'pipe'],
      ['import', 'out/summary.json', '--summary', 'out/summary.json', '--out', 'pipe'],
    ]) {
      const { code, stderr } = await inProcess(...args);
      expect(stderr).toMatch(/Expected a plain file for --out, found a device or a pipe at ".*pipe"\. Choose a file\./);
      expect(code).toBe(2);
    }
    expect((await stat(join(home, 'pipe'))).isFIFO()).toBe(true);
  });

  it('end with 3 when clips had to be left out', async () => {
    await writeFile(join(home, 'mine.edl'), '001 SLOW V C 00:59:59:30 01:00:00:30 00:00:00:00 00:00:01:00\n002 TITLE V C 00:00:00:00 00:00:01:00 00:00:01:00 00:00:02:00\n'); // prettier-ignore
    const { code, stderr } = await inProcess('import', 'mine.edl', '--summary', 'out/summary.json', '--out', 'b.json', '--rate', '59.94'); // prettier-ignore
    expect(code).toBe(3);
    expect(stderr).toContain('Left out: "TITLE" is not a video of the summary (line 2).');
  });

  it.each([
    [['export', 'out/summary.json'], 'Expected --format, found none. Choose one of edl, fcpxml'],
    [['export', 'out/summary.json', '--format', 'avid'], 'Expected --format to be one of edl, fcpxml'],
    [
      ['export', 'out/summary.json', '--format', 'AAF'],
      'found AAF, a binary format of Avid, which Throughline does not write. Import an EDL in Media Composer',
    ],
    [['export', 'out/summary.json', '--for', 'imovie'], 'Expected --for to be one of generic, openshot'],
    [
      ['export', 'out/summary.json', '--for', 'finalcut', '--format', 'edl'],
      'Expected a format that Final Cut Pro opens (fcpxml), found "edl". Leave out --format or --for.',
    ],
    [
      ['export', 'out/summary.json', '--for', 'openshot', '--format', 'edl'],
      'Expected a whole frame rate in an EDL for OpenShot',
    ],
    [
      ['export', 'out/summary.json', '--format', 'edl', '--media-root', '/x', '--paths', 'relative'],
      'found both. Leave one out.',
    ],
    [['export', 'out/summary.json', '--format', 'edl', '--rate', '12'], '--rate: expected a frame rate of 23.976'],
    [
      ['export', 'out/summary.json', '--format', 'edl', '--video', 'x'],
      'Expected the id of a video of the summary (drone,',
    ],
    [['export', 'out/summary.json', '--format', 'edl', '--video', 'slow', '--topic'], 'found both. Leave one out.'],
    [
      ['export', 'out/summary.json', '--format', 'edl', '--handles', '-1'],
      '--handles: expected a whole number from 0 to 999999, found "-1".',
    ],
    [['export', 'none.json', '--format', 'edl'], 'found nothing'],
    [['export', 'out', '--format', 'edl'], `found a folder. Name a file in it: "${join('out', 'summary.json')}".`],
    [['export', 'out/summary.json', '--format', 'edl', '--out', 'out/summary.json'], 'which is an input'],
    [['export', 'out/summary.json', '--format', 'edl', '--out', 'Harbour & pier/slow.mp4'], 'which is an input'],
    [['import', 'Harbour & pier/slow.mp4', '--summary', 'out/summary.json', '--out', 'c.json'], 'it has no event'],
  ])('refuse %j', async (args, sentence) => {
    const { code, stderr } = await inProcess(...args);
    expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(code).toBe(2);
    expect(await readFile(join(home, 'Harbour & pier', 'slow.mp4'), 'utf8')).toBe('footage');
  });
});
