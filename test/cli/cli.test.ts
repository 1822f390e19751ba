import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { drawTopic } from '../fixtures/drawn-topic.js';
import { lengthInSeconds, type TimeRange } from '../../src/base/index.js';
import { locateFfmpeg } from '../../src/media/index.js';
import { makeBroken } from '../fixtures/make.js';
import { programEntry } from '../fixtures/program.js';

const entry = await programEntry();
let home: string;
let ffmpeg: string;

type Result = { code: number | null; stdout: string; stderr: string };

/** Runs the real program in a process of its own, as a shell would. */
function throughline(
  args: string[],
  options: { onStderr?: (text: string, kill: (signal: NodeJS.Signals) => void) => void; env?: NodeJS.ProcessEnv } = {},
): Promise<Result> {
  return new Promise((settle) => {
    const child = spawn(process.execPath, [entry, ...args], {
      cwd: home,
      env: { ...process.env, THROUGHLINE_CACHE: join(home, 'cache'), NO_COLOR: '1', ...options.env },
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
      options.onStderr?.(stderr, (signal) => child.kill(signal));
    });
    child.on('close', (code) => settle({ code, stdout, stderr }));
  });
}

/** Waits until no file of a folder has changed for a while. */
async function stillness(folder: string): Promise<void> {
  const look = async (): Promise<string> => {
    const names = await readdir(folder);
    const facts = await Promise.all(names.map((name) => stat(join(folder, name))));
    return JSON.stringify(facts.map(({ size, mtimeMs }, at) => [names[at], size, mtimeMs]));
  };
  for (let [before, now] = ['', await look()]; before !== now; [before, now] = [now, await look()]) {
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-cli-'));
  ffmpeg = (await locateFfmpeg()).path;
  await drawTopic({ folder: join(home, 'topic'), ffmpeg, scale: 0.2, videoCount: 2 });
});
afterAll(() => rm(home, { recursive: true, force: true }));

describe('topics', () => {
  it('shows what was found, and writes the record beside the folder', { tags: 'slow' }, async () => {
    const { code, stdout } = await throughline(['topics', 'topic', '--groups', '2']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/topic-1 {2}1 video {2}similarity within –, to the others 0\.\d\d\n {2}aiko\.mp4/);
    expect(stdout).toContain('Written to topic-topics/topics.json');
    const one = await throughline(['topics', 'topic', '--json', '--out', 'one']);
    expect(one.code).toBe(0);
    const record: unknown = JSON.parse(await readFile(join(home, 'one', 'topics.json'), 'utf8'));
    expect(record).toMatchObject({ schema: 'topics.1', groups: null, concordance: null });
  });
});

describe('summarize and concept', () => {
  it(
    'have folders of their own: neither replaces what the other wrote, whichever is run first',
    { tags: 'slow' },
    async () => {
      const record = (folder: string): Promise<string> => readFile(join(home, folder, 'summary.json'), 'utf8');
      expect((await throughline(['summarize', 'topic', '--pictures', 'none'])).code).toBe(0);
      const summaries = await record('topic-summary');
      const { code, stdout } = await throughline(['concept', 'topic', '--length', '2 shots', '--pictures', 'none']);
      expect(code).toBe(0);
      expect(stdout).toContain(join('topic-concept', 'report.html'));
      expect(await record('topic-summary')).toBe(summaries);
      const film = await record('topic-concept');
      const { concept } = JSON.parse(film) as { concept: { film: string; shots: { reason: string }[] } };
      expect(concept.film).toBe('concept.mp4');
      // One line per shot of the film, with its reason.
      const lines = stdout.split('\n');
      for (const { reason } of concept.shots) expect(lines.some((line) => /^ +0:0\d\.\d  .+ 0:\d\d\.\d  /.test(line) && line.endsWith(reason))).toBe(true); // prettier-ignore
      expect(await readdir(join(home, 'topic-concept'))).toContain('concept.mp4');

      await throughline(['summarize', 'topic', '--pictures', 'none', '--quiet']);
      expect(await record('topic-concept')).toBe(film);
      expect(await record('topic-summary')).toBe(summaries);
    },
  );
});

describe('exit codes', () => {
  it('0: all done, with a line a video and the report named', async () => {
    const { code, stdout, stderr } = await throughline(['summarize', 'topic', '--length', '30%']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/aiko\.mp4 .* of \d+ shots/);
    expect(stdout).toContain('2 videos summarised in topic-summary');
    expect(stdout).toContain(join('topic-summary', 'report.html'));
    expect(stderr).toMatch(/analysing +\d+%/);
    expect(stderr).not.toContain('\x1b');
    expect(await readdir(join(home, 'topic-summary'))).toContain('aiko.mp4');
  });

  it(
    '0: one film of the whole topic, its length typed, the rest from a file that gives way',
    { tags: 'slow' },
    async () => {
      await writeFile(join(home, 'concept.json'), JSON.stringify({ concept: '9s', order: 'source', perSource: 5 }));
      const { code, stdout, stderr } = await throughline([
        ...['concept', 'topic', '--length', '3 shots', '--each', '40%', '--no-balance'],
        ...['--config', 'concept.json', '--out', 'concept-out'],
      ]);
      expect(stderr).not.toContain('Warning');
      expect(code).toBe(0);
      expect(stdout).toMatch(/the whole topic .* 3 shots of 2 videos/);
      const names = (await readdir(join(home, 'concept-out'))).filter((name) => name.endsWith('.mp4'));
      expect(names).toEqual(['concept.mp4']);
      const { options, concept } = JSON.parse(await readFile(join(home, 'concept-out', 'summary.json'), 'utf8'));
      expect(options).toMatchObject({
        ...{ concept: '3 shots', length: '40%', films: false, balance: false, order: 'source', perSource: 5 },
      });
      expect(concept.shots).toHaveLength(3);
      const secondsOf = (video: string): number => {
        const own = concept.shots.filter((shot: { video: string }) => shot.video === video);
        return own.reduce((sum: number, { range }: { range: TimeRange }) => sum + lengthInSeconds(range), 0);
      };
      // Two shots of one video are trimmed to what it may give.
      for (const video of ['aiko', 'bruno']) expect(secondsOf(video)).toBeLessThanOrEqual(5);
      const [, minutes, seconds] = /the whole topic .* → +(\d+):(\S+) /.exec(stdout)!;
      const { rate } = concept.frame;
      expect(60 * Number(minutes) + Number(seconds)).toBeCloseTo((concept.frames * rate.den) / rate.num, 1);
    },
  );

  it('1: nothing could be done', { tags: 'slow' }, async () => {
    const folder = join(home, 'hopeless');
    await mkdir(folder);
    await makeBroken('text', { folder, ffmpeg });
    const { code, stderr } = await throughline(['summarize', folder]);
    expect(code).toBe(1);
    expect(stderr).toContain('skipped: Expected a video');
    expect(stderr).toContain('throughline: The only file could not be used: Expected a video');
  });

  it.each([
    [['summarize'], 'Expected a folder of videos, or video files after "throughline summarize", found nothing.'],
    [['summarize', 'topic', '--length', 'long'], 'Expected a length'],
    [['concept', 'topic', '--length', 'long'], 'Expected a length'],
    [['concept', 'topic', '--per-source', '0'], 'Expected --per-source to be more than 0, found "0"'],
    [
      ['summarize', 'topic', '--segmenter', 'magic'],
      'Expected --segmenter to be one of colour, uniform, kts, found "magic".\n',
    ],
    [['summarize', 'topic', '--jobs', 'many'], 'Expected --jobs to be a number, found "many"'],
    [['summarize', 'topic', '--lenght', '3s'], 'Did you mean --length?'],
    [['sumarize', 'topic'], 'Did you mean summarize?'],
    [['summarize', 'nowhere'], 'found nothing'],
    [['summarize', 'topic', '--config', 'none.json'], 'Could not read the configuration'],
    [['summarize', 'topic', '--shots', 'none.csv'], 'Could not read the shot list'],
    [['summarize', 'topic', '--quiet', '--json'], 'Expected --json or --quiet, found both. Leave one out.'],
  ])('2: wrong usage %j', { tags: 'slow' }, async (args, sentence) => {
    const { code, stderr } = await throughline(args);
    expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(code).toBe(2);
  });

  it('3: some inputs were skipped, and are listed at the end', async () => {
    const folder = join(home, 'mixed');
    await mkdir(folder);
    await makeBroken('zero-bytes', { folder, ffmpeg });
    const { code, stdout } = await throughline([
      'summarize',
      join('topic', 'aiko.mp4'),
      folder,
      '--out',
      'mixed-out',
      '--no-films',
    ]);
    expect(code).toBe(3);
    expect(stdout).toContain('1 skipped:');
    expect(stdout).toContain('0 bytes');
    expect(await readdir(join(home, 'mixed-out'))).toEqual([
      '.throughline',
      'aiko.storyboard.png',
      'report.html',
      'summary.json',
    ]);
  });
});

describe('output', () => {
  it('is one JSON event a line for programs', { tags: 'slow' }, async () => {
    const { code, stdout } = await throughline(['summarize', 'topic', '--json', '--out', 'json-out', '--no-films']);
    expect(code).toBe(0);
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string });
    expect(events[0]).toEqual({ type: 'run-started', inputs: 2 });
    expect(events.at(-1)).toEqual({ type: 'run-done', done: 2, skipped: 0 });
  });

  it('is nothing when quiet', { tags: 'slow' }, async () => {
    const result = await throughline(['summarize', 'topic', '--quiet', '--out', 'quiet-out', '--no-films']);
    expect(result).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('says a full disk in one sentence', { tags: 'slow' }, async () => {
    // A cache on a device that refuses every byte: what a full disk looks like from here.
    const { code, stderr } = await throughline(['summarize', 'topic', '--out', '/dev/full/out', '--no-films']);
    expect(code).toBe(1);
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(
      /^throughline: Could not write .*Choose another folder with --out\.$/,
    );
  });
});

describe('a closed output pipe', () => {
  it('does not break the run', { tags: 'slow' }, async () => {
    const child = spawn(process.execPath, [entry, 'summarize', 'topic', '--json', '--out', 'unread', '--no-films'], {
      cwd: home,
      env: { ...process.env, THROUGHLINE_CACHE: join(home, 'cache') },
    });
    child.stdout.once('data', () => child.stdout.destroy());
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const code = await new Promise((settle) => child.on('close', settle));
    expect([code, stderr]).toEqual([0, '']);
    expect(await readdir(join(home, 'unread'))).toContain('report.html');
  });
});

describe('configuration file', () => {
  it('gives options the command line can overrule', { tags: 'slow' }, async () => {
    await writeFile(join(home, 'mine.json'), JSON.stringify({ length: '1 shots', films: false, out: 'config-out' }));
    const first = await throughline(['summarize', 'topic', '--config', 'mine.json']);
    expect(first.stdout).toMatch(/aiko\.mp4 .* 1 of \d+ shots/);
    expect(await readdir(join(home, 'config-out'))).not.toContain('aiko.mp4');
    const second = await throughline(['summarize', 'topic', '--config', 'mine.json', '--length', '2 shots']);
    expect(second.stdout).toMatch(/aiko\.mp4 .* 2 of \d+ shots/);
    // A typed value outranks the file also when it is the default.
    const third = await throughline(['summarize', 'topic', '--config', 'mine.json', '--length', '15%', '--json']);
    expect(third.code).toBe(0);
    const record = JSON.parse(await readFile(join(home, 'config-out', 'summary.json'), 'utf8')) as {
      options: { length: string };
    };
    expect(record.options.length).toBe('15%');
  });

  it('names what is wrong in it', { tags: 'slow' }, async () => {
    await writeFile(join(home, 'bad.json'), JSON.stringify({ lenght: '3s' }));
    const { code, stderr } = await throughline(['summarize', 'topic', '--config', 'bad.json']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('lenght')]);
  });
});

describe('interruption', () => {
  it('by Ctrl-C stops cleanly; the next run goes on', { tags: 'slow' }, async () => {
    const env = { THROUGHLINE_CACHE: join(home, 'cache-interrupted') };
    let reported = false;
    const stopped = await throughline(['summarize', 'topic', '--out', 'stopped', '--jobs', '1', '--length', '30%'], {
      env,
      onStderr: (text, kill) => {
        if (reported || !text.includes('analysed: aiko.mp4')) return;
        reported = true;
        kill('SIGINT');
      },
    });
    expect(stopped.code).toBe(130);
    expect(stopped.stderr).toContain('Stopped on request');
    const next = await throughline(['summarize', 'topic', '--out', 'stopped', '--length', '30%'], { env });
    expect(next.code).toBe(0);
    expect(next.stderr).toContain('analysed before: aiko.mp4');
  });

  it('by kill -9 leaves nothing half done under a final name', { tags: 'slow' }, async () => {
    const env = { THROUGHLINE_CACHE: join(home, 'cache-killed') };
    let reported = false;
    const killed = await throughline(['summarize', 'topic', '--out', 'killed', '--jobs', '1', '--length', '30%'], {
      env,
      onStderr: (text, kill) => {
        if (reported || !/rendering +\d+%/.test(text)) return;
        reported = true;
        kill('SIGKILL');
      },
    });
    expect(killed.code).toBeNull();
    // The encoder of the killed run is nobody's child now and may still be writing.
    await stillness(join(home, 'killed'));
    // A minute later the half film of the killed run counts as abandoned.
    const then = Date.now() / 1000 - 120;
    for (const name of await readdir(join(home, 'killed'))) await utimes(join(home, 'killed', name), then, then);
    const next = await throughline(['summarize', 'topic', '--out', 'killed', '--length', '30%'], { env });
    expect(next.code).toBe(0);
    expect(next.stderr).not.toContain('analysed:');
    await throughline(['summarize', 'topic', '--out', 'whole', '--length', '30%'], { env });
    expect((await readdir(join(home, 'killed'))).sort()).toEqual((await readdir(join(home, 'whole'))).sort());
  });
});

describe('doctor', () => {
  it('finds what a run needs', { tags: 'slow' }, async () => {
    const { code, stdout } = await throughline(['doctor']);
    expect(code).toBe(0);
    for (const word of ['runtime', 'decoder', 'reads', 'writes', 'network', 'machine', 'cache'])
      expect(stdout).toContain(`✓ ${word}`);
  });

  it('tells what to do when the decoder is missing', { tags: 'slow' }, async () => {
    const { code, stdout } = await throughline(['doctor'], { env: { FFMPEG_PATH: '/nowhere/ffmpeg' } });
    expect(code).toBe(1);
    expect(stdout).toContain('Correct or unset it');
  });
});
