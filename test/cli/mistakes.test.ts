// @module-tag slow
import { execFile, execFileSync, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { drawTopic } from '../fixtures/drawn-topic.js';
import { locateFfmpeg } from '../../src/media/index.js';
import { canBeNobody, NOBODY } from '../fixtures/nobody.js';
import { buildProgram, programEntry } from '../fixtures/program.js';
import { buildPage } from '../studio/build-page.js';

/** What goes wrong in the first five minutes: one sentence each, the right exit code, no stack trace. */

const ROOT = resolve(import.meta.dirname, '../..');
const entry = await programEntry();
const isRoot = process.getuid?.() === 0;
let home: string;
let canMount = false;

type Result = { code: number; stdout: string; stderr: string; last: string };
type Way = { env?: NodeJS.ProcessEnv; before?: string[]; program?: string };

/** Runs the real program as a shell would; `before` stands in front of it. */
function throughline(args: string[], { env = {}, before = [], program = entry }: Way = {}): Promise<Result> {
  const [command, ...rest] = [...before, process.execPath, program, ...args];
  const surroundings = { ...process.env, THROUGHLINE_CACHE: join(home, 'cache'), NO_COLOR: '1', ...env };
  return new Promise((settle) => {
    execFile(command!, rest, { cwd: home, env: surroundings, timeout: 100_000 }, (error, stdout, stderr) =>
      settle({
        code: error ? Number(error.code ?? -1) : 0,
        stdout,
        stderr,
        last: stderr.trimEnd().split('\n').at(-1)!,
      }),
    );
  });
}

/** One sentence of ours at the end, and nothing of the machinery behind it. */
async function expectMistake(code: number, sentence: RegExp, args: string[], way?: Way): Promise<void> {
  const result = await throughline(args, way);
  expect(result.last).toMatch(/^throughline: .+[.?]$/);
  expect(result.last).toMatch(sentence);
  expect(result.stderr).not.toMatch(/\n\s+at |\[out#|Error:/);
  expect(result.code).toBe(code);
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-mistakes-'));
  for (const name of ['empty', 'tiny', 'locked', 'topic-of-mine']) await mkdir(join(home, name));
  await drawTopic({ folder: join(home, 'topic'), ffmpeg: (await locateFfmpeg()).path, scale: 0.2, videoCount: 1 });
  if (!isRoot) return;
  execFileSync('chmod', ['755', home]);
  await cp(join(home, 'topic'), join(home, 'locked', 'topic'), { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', join(home, 'tiny')], { stdio: 'ignore' });
    canMount = true;
  } catch {
    process.stderr.write('no tmpfs can be mounted here: a full disk is not tried\n');
  }
});
afterAll(async () => {
  if (canMount) execFileSync('umount', [join(home, 'tiny')]);
  await rm(home, { recursive: true, force: true });
});

describe('mistakes on the command line', () => {
  it.each<[string, string[], RegExp]>([
    ['a folder without videos', ['summarize', 'empty'], /Expected videos in "empty" \(\.mp4.*\), found none\. Name a folder that holds some, or add --recursive/],
    ['a wrong path', ['summarize', 'pairs'], /Expected a folder or a video at "pairs", found nothing\. Check the path\.$/],
    ['more than the whole', ['summarize', 'topic', '--length', '200%'], /found "200%", which is more than the whole video\. Give a share up to 100%/],
    ['no length', ['summarize', 'topic', '--length', 'abc'], /Expected a length such as 15%, 30s.*found "abc"/],
    ['nothing at all', ['summarize', 'topic', '--length', '0'], /found "0", which is not a length\. Give a share up to 100%, a time above zero, or at least one shot\.$/],
    ['a bare number', ['summarize', 'topic', '--length', '30'], /found "30".*Add a unit: 30s, 30% or "30 shots"\.$/],
    ['a share as a fraction', ['summarize', 'topic', '--length', '0.15'], /found "0\.15", which is not a length\. Write a share in percent, such as 15%\.$/],
    ['a number of topics without them', ['summarize', 'topic', '--groups', '3'], /Expected autoTopics \(--auto-topics\) with groups \(--groups\), found groups alone\./],
    ['nearly a method', ['summarize', 'topic', '--method', 'co-sum'], /Expected --method to be one of cvs, kmeans,.*found "co-sum"\. Did you mean cosum\?$/],
    ['no method at all', ['summarize', 'topic', '--method', 'magic'], /Expected --method to be one of cvs, kmeans,.*found "magic"\.$/],
    ['too much of something', ['summarize', 'topic', '--shared', '2'], /Expected --shared to be at most 1, found "2"\.$/],
    ['nothing where text belongs', ['summarize', 'topic', '--out', ''], /Expected --out to be some text, found ""\.$/],
    ['a network that was never imported', ['summarize', 'topic', '--features', 'c3d'], /Expected the network "c3d" in the models folder.*convert a published file with a tool of the source repository/],
    ['a network without a name', ['summarize', 'topic', '--features', 'onnx'], /Name its file with --model FILE\.$/],
    ['a model file that is not there', ['summarize', 'topic', '--features', 'onnx', '--model', 'none.onnx'], /Could not read the model "none\.onnx".*Check the path\.$/],
    ['music that is none', ['concept', 'topic', '--music', 'topic'], /Expected a sound file at "topic", found something else\. Give a file\. It was given as --music\.$/],
    ['a fleet nobody named', ['worker'], /Expected --redis URL or THROUGHLINE_REDIS, found neither\. Give its address, for example --redis redis:/],
  ])('%s', { tags: 'slow' }, (_name, args, sentence) =>
    expectMistake(2, sentence, args, { env: { THROUGHLINE_MODELS: join(home, 'no-models'), THROUGHLINE_REDIS: '' } })); // prettier-ignore

  it.each([
    ['a command that is none', ['paris'], 'Expected a command, found "paris". "throughline --help" lists them.'],
    ['a command spelled otherwise', ['summarise', 'topic'], 'Expected a command, found "summarise". Did you mean summarize? "throughline --help" lists them.'],
    ['a command of a command', ['topic', 'ad'], 'Expected a command after "throughline topic", found "ad". Did you mean add? "throughline topic --help" lists them.'],
    ['a folder without a command', ['topic-of-mine'], 'Expected a command, found "topic-of-mine". To summarise it: throughline summarize "topic-of-mine"'],
    ['nothing to work on', ['summarize'], 'Expected a folder of videos, or video files after "throughline summarize", found nothing. "throughline summarize --help" tells more.'],
    ['an option of two words before the command', ['--min-shot', '40', 'topic'], 'Expected a command before --min-shot, found none. Put it first, as in: throughline summarize FOLDER --min-shot …'],
    ['an option before the command', ['--length', '30s', 'topic'], 'Expected a command before --length, found none. Put it first, as in: throughline summarize FOLDER --length …'],
    ['nearly an option', ['summarize', 'topic', '--lenght', '30s'], 'Expected an option of "throughline summarize", found "--lenght". Did you mean --length? "throughline summarize --help" tells more.'],
    ['an option without its value', ['summarize', 'topic', '--method'], 'Expected a value after --method, found none. "throughline summarize --help" tells more.'],
    ['a path with spaces', ['studio', 'my', 'videos'], 'Expected one argument after "throughline studio", found "my", "videos". Put a path that contains spaces in quotes.'],
    ['more than a command takes', ['doctor', 'now'], 'Expected nothing after "throughline doctor" but options, found "now". "throughline doctor --help" tells more.'],
    ['a port that is none', ['studio', '--port', '80x'], '--port: expected a whole number from 0 to 65535, found "80x".'],
    ['nearly a format', ['export', 'a.json', '--format', 'chapters'], 'Expected --format to be one of edl, fcpxml, xmeml, otio, mlt, xges, csv, json, vtt, youtube, mkv-chapters, found "chapters". Did you mean mkv-chapters?'],
    ['a data set that is none', ['bench', 'ablation', 'mine', '--data', 'x'], 'Expected dataset to be one of tvsum, cosum, found "mine".'],
  ])('%s', { tags: 'slow' }, async (_name, args, sentence) => {
    const { code, stderr } = await throughline(args);
    expect(stderr).toBe(`throughline: ${sentence}\n`);
    expect(code).toBe(2);
  }); // prettier-ignore
});

describe('mistakes in a configuration file', () => {
  it.each([
    ['no option', '{"lenght": "30s"}', 'Expected the names of options in "mine.json", found "lenght". Did you mean "length"?'],
    ['a flag', '{"min-shot": 40}', 'Expected the names of options in "mine.json", found "min-shot". Did you mean "minShot"?'],
    ['a number for text', '{"length": 30}', 'Expected "length" in "mine.json" to be text in quotes, found 30.'],
    ['nearly a method', '{"method": "co-sum"}', /^Expected "method" in "mine.json" to be one of cvs, .*, found "co-sum"\. Did you mean cosum\?$/],
    ['too much', '{"shared": 2}', 'Expected "shared" in "mine.json" to be at most 1, found 2.'],
    ['a list', '[]', 'Expected options in "mine.json", such as {"length": "30s"}, found []. Correct it.'],
    ['half a file', '{"length": ', /^Expected JSON in "mine.json", found a mistake \(.*\)\. Correct it\.$/],
  ])('%s', { tags: 'slow' }, async (_name, text, sentence) => {
    await writeFile(join(home, 'mine.json'), text);
    const { code, stderr } = await throughline(['summarize', 'topic', '--config', 'mine.json']);
    expect(stderr.replace('throughline: ', '').trimEnd()).toEqual(typeof sentence === 'string' ? sentence : expect.stringMatching(sentence));
    expect(code).toBe(2);
  }); // prettier-ignore
});

describe('refusals of the machine', () => {
  it('a port that is taken', { tags: 'slow' }, async () => {
    const build = await buildProgram();
    const program = await build.asVersion('0.0.1');
    await cp(await buildPage(), resolve(program, '../../studio/web'), { recursive: true });
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((settle) => server.once('listening', settle));
    const port = String((server.address() as { port: number }).port);
    await expectMistake(2, /Expected a free port, found that \d+ is in use\. Choose another with --port, or 0 for any\.$/, ['studio', 'topic', '--port', port, '--no-open'], { program }); // prettier-ignore
    server.close();
    await build.close();
  });

  it.each([
    ['submit', ['submit', 'topic', '--store', 'store']],
    ['jobs', ['jobs', 'status']],
  ])('Redis that is not there, asked by %s', { tags: 'slow' }, (_name, args) =>
    expectMistake(1, /Expected Redis at redis:\/\/127\.0\.0\.1:1, found none.*Start it, or check host, port and network\.$/, [...args, '--redis', 'redis://127.0.0.1:1'])); // prettier-ignore

  it('Redis that is not there, awaited by a worker until it is told to stop', { tags: 'slow' }, async () => {
    const args = ['worker', '--redis', 'redis://127.0.0.1:1', '--store', join(home, 'store')];
    const child = spawn(process.execPath, [entry, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    await new Promise<void>((settle) =>
      child.stderr.on('data', (text) => (said += String(text)).includes('redis-away') && settle()),
    );
    child.kill('SIGTERM');
    expect(said).toMatch(/Expected Redis at redis:\/\/127\.0\.0\.1:1, found none.* Waiting for Redis\./);
    expect(await new Promise((settle) => child.once('close', settle))).toBe(130);
  });

  it('a folder in which nothing can be made', { tags: 'slow' }, async ({ skip }) => {
    if (process.platform !== 'linux') skip('there is no /proc here');
    await expectMistake(1, /Could not write "\/proc\/\w+": .*Choose a folder you may write to/, ['summarize', 'topic', '--out', '/proc/throughline']); // prettier-ignore
  });

  it.runIf(canBeNobody()).each([
    ['results', ['summarize', 'locked/topic', '--quiet'], 'locked/topic-summary'],
    ['the demo', ['demo', 'locked/demo', '--quiet'], 'locked/demo'],
    ['the cache', ['summarize', 'locked/topic', '--quiet', '--out', '/tmp', '--cache', 'locked/cache'], 'locked/cache'],
  ])('no permission to write %s', { tags: 'slow' }, async (_name, args, path) => {
    const nobody = ['setpriv', `--reuid=${NOBODY}`, '--clear-groups'];
    await expectMistake(1, new RegExp(`Could not write ".*${path}": permission denied\\. Choose a folder you may write to`), args, { before: nobody, env: { THROUGHLINE_CACHE: join(tmpdir(), `throughline-nobody-${process.pid}`) } }); // prettier-ignore
  });

  it.each([
    ['results', ['summarize', 'topic', '--quiet', '--out', 'tiny/out', '--length', '90%']],
    ['the cache', ['summarize', 'topic', '--quiet', '--cache', 'tiny/cache']],
    ['the demo', ['demo', 'tiny/demo', '--quiet']],
  ])('no space left for %s', { tags: 'slow' }, async (_name, args) => {
    if (!canMount) return;
    await expectMistake(1, /The disk is full: could not write ".*tiny\/.*"\. Free some space or choose another folder with --(?:out|cache), and run again; finished work is kept\.$/, args); // prettier-ignore
  });
});

describe('an old Node', () => {
  it.each(['18.20.4', '20.9.0'])('is refused before any newer syntax is read: %s', async (version) => {
    const pretend = join(home, `pretend-${version}.mjs`);
    const older = `{ ...process.versions, node: '${version}' }`;
    await writeFile(pretend, `Object.defineProperty(process, 'versions', { value: ${older} });`);
    const sentence = new RegExp(`Expected Node 20.19 or newer, found ${version}. Install a newer one`);
    await expectMistake(1, sentence, ['doctor'], { env: { NODE_OPTIONS: `--import ${pretend}` } });
  });

  it('is refused by npm ci and by the program from the same version on', async () => {
    const { engines } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { engines: { node: string } }; // prettier-ignore
    expect(engines.node).toBe('>=20.19');
    expect(await readFile(join(ROOT, '.npmrc'), 'utf8')).toContain('engine-strict=true');
  });

  it('can read the first file: it imports nothing, and awaits nothing at its top', async () => {
    const text = await readFile(join(ROOT, 'src/cli/main.ts'), 'utf8');
    expect(text).not.toMatch(/^import /m);
    expect(text).not.toMatch(/^(?: {2})?(?:\S+ = )?await /m);
  });
});
