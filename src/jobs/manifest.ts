import { createReadStream } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute, relative, resolve, sep } from 'node:path';
import { z } from 'zod';

import { UsageError, whyUnreadable } from '../base/index.js';
import { isVideo } from '../pipeline/index.js';
import { openBucket, parseAddress } from '../storage/index.js';
import { requireBucket, versionOf } from './open-topic.js';
import type { GivenVideo } from './records.js';
import type { TaskContext } from './tasks.js';

/** A video that is to be submitted: a file of this machine, which has a `path`, or one that workers find. */
export type WantedVideo = Omit<GivenVideo, 'id'> & { readonly path?: string };

/** Videos by the name of their topic. */
export type WantedTopics = Map<string, WantedVideo[]>;

/** What manifests may name, besides objects in the bucket of the store. */
export type Allowed = Pick<TaskContext, 'objects' | 'buckets'> & {
  /** Local files must be in one of these folders; default: that of the manifest. */
  readonly folders?: readonly string[] | undefined;
};

/** Longer lines are refused unread. */
const MAX_LINE = 64 << 10;

const FIELDS = {
  source: 'a path, or an address s3://bucket/key',
  size: 'a whole number of bytes',
  etag: 'a text',
  sha256: '64 hexadecimal digits',
  topic: 'a name',
};
const lineSchema = z.strictObject({
  source: z.string().min(1),
  size: z.int().nonnegative().optional(),
  etag: z.string().min(1).max(200).optional(),
  sha256: z.string().toLowerCase().regex(/^[0-9a-f]{64}$/).optional(), // prettier-ignore
  topic: z.string().trim().min(1).max(200).optional(),
});
type Line = z.infer<typeof lineSchema>;

/**
 * The videos of a manifest, which has one JSON object per line. Lines that cannot be used go to `onBad` with a sentence.
 * Nothing is opened; what a line names is data, so it is refused unless it is in a place that was allowed.
 */
export async function readManifest(
  file: string,
  usualTopic: string | undefined,
  allowed: Allowed,
  onBad: (message: string) => void,
): Promise<WantedTopics> {
  const topics = new Map<string, Map<string, WantedVideo>>();
  const folders = await Promise.all((allowed.folders ?? [dirname(resolve(file))]).map(realFolder));
  let number = 0;
  for await (const text of linesOf(file)) {
    number++;
    if (text?.trim() === '') continue;
    try {
      const line = parseLine(text);
      const topic = line.topic ?? usualTopic ?? basename(file, extname(file));
      const video = await (isUrl(line.source) ? inBucket(line, allowed) : onDisk(line, resolve(dirname(file), line.source), folders)); // prettier-ignore
      const videos = topics.get(topic) ?? new Map<string, WantedVideo>();
      const before = videos.get(line.source);
      if (before && JSON.stringify(before) !== JSON.stringify(video)) {
        throw bad(`Expected each video once per topic, found "${line.source}" again, with other facts. Remove one of the lines.`); // prettier-ignore
      }
      topics.set(topic, videos.set(line.source, video));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      onBad(`Line ${number} of "${basename(file)}": ${error.message}`);
    }
  }
  return new Map([...topics].map(([topic, videos]) => [topic, [...videos.values()]]));
}

/** Videos in a bucket below an address `s3://bucket/prefix`, named from there. Listed, not read. */
export async function listBucket(
  address: string,
  isDeep: boolean,
  context: Pick<TaskContext, 'objects' | 'buckets' | 'emit'>,
): Promise<{ topic: string; videos: WantedVideo[] }> {
  const { bucket, key } = addressIn(address);
  requireBucket(bucket, context);
  const prefix = key === '' || key.endsWith('/') ? key : `${key}/`;
  const videos: WantedVideo[] = [];
  for await (const found of (await openBucket(bucket)).list(prefix, isDeep)) {
    const source = `s3://${bucket}/${found.key}`;
    const name = found.key.slice(prefix.length);
    const isHidden = name.split('/').some((part) => part.startsWith('.'));
    // Films that are results are no sources.
    const isOurs = source.startsWith(`${context.objects.url}/topics/`);
    if (isHidden || isOurs || !isVideo(name)) continue;
    if (parseAddress(source)) videos.push({ name, source, bytes: found.bytes, etag: found.etag });
    else context.emit({ type: 'skipped', item: name, code: 'bad-address', message: `Expected a name without empty parts, "." and "..", found ${shown(found.key)}. Rename it.` }); // prettier-ignore
  }
  if (videos.length > 0) return { topic: basename(prefix) || bucket, videos };
  throw new UsageError(
    'no-videos',
    `Expected videos below ${address}, found none. Check the address${isDeep ? '' : ', or add --recursive to look further down'}.`,
  );
}

/** Each line of a file, without its end; `null` for one that is too long. */
async function* linesOf(file: string): AsyncGenerator<string | null> {
  let [rest, isCut] = ['', false];
  try {
    for await (const text of createReadStream(file, 'utf8') as AsyncIterable<string>) {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        yield isCut || line.length > MAX_LINE ? null : line;
        isCut = false;
      }
      if (rest.length > MAX_LINE) [rest, isCut] = ['', true];
    }
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).code) throw error;
    throw new UsageError('not-found', `Expected a manifest at "${file}", found nothing that can be read (${whyUnreadable(error)}). Check the path.`); // prettier-ignore
  }
  if (rest !== '' || isCut) yield isCut ? null : rest;
}

function parseLine(text: string | null): Line {
  if (text === null) throw bad(`Expected a line of at most ${MAX_LINE} characters, found a longer one. Correct or remove it.`); // prettier-ignore
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw bad(`Expected one JSON object, found ${shown(text)}. Correct or remove the line.`);
  }
  const { data, error } = lineSchema.safeParse(value);
  if (data) return data;
  const [issue] = error.issues;
  if (issue?.code === 'unrecognized_keys') {
    throw bad(`Expected only ${Object.keys(FIELDS).join(', ')}, found ${shown(issue.keys[0])}. Remove it.`);
  }
  const field = issue?.path[0] as keyof typeof FIELDS | undefined;
  if (field === undefined) throw bad(`Expected one JSON object, found ${shown(value)}. Correct or remove the line.`);
  throw bad(`Expected ${FIELDS[field]} as "${field}", found ${shown((value as Line)[field])}. Correct the line.`);
}

function inBucket({ source, size, etag, sha256 }: Line, allowed: Allowed): WantedVideo {
  const { bucket, key } = addressIn(source);
  requireBucket(bucket, allowed);
  if (key === '' || key.endsWith('/')) throw bad(`Expected the address of a file, found "${source}". Submit a prefix as "throughline submit ${source}".`); // prettier-ignore
  if (size === undefined || (etag ?? sha256) === undefined) {
    throw bad(`Expected "size", and "etag" or "sha256", of "${source}", found less. Add them, as the list of the bucket gives them.`); // prettier-ignore
  }
  return { name: key, source, bytes: size, etag, sha256 };
}

async function onDisk({ source, size, sha256 }: Line, path: string, folders: readonly string[]): Promise<WantedVideo> {
  // A link could lead anywhere, so where the file really is counts.
  const real = await realpath(path).catch(() => null);
  const found = real === null ? null : await versionOf(real);
  const names = folders.map((folder) => relative(folder, real ?? path));
  const name = names.find((each) => each !== '' && !isAbsolute(each) && each.split(sep)[0] !== '..');
  if (name === undefined) {
    throw bad(`Expected a file inside ${folders.map((folder) => `"${folder}"`).join(' or ')}, found "${source}". Allow its folder with --allow-folder, or remove the line.`); // prettier-ignore
  }
  if (real === null || found === null) throw bad(`Expected a file at "${source}", found none. Correct or remove the line.`); // prettier-ignore
  if (size !== undefined && size !== found.bytes) {
    throw bad(`Expected ${size} bytes in "${source}", found ${found.bytes}. Make the manifest again when the file is complete.`); // prettier-ignore
  }
  return { name, path: real, bytes: found.bytes, sha256 };
}

/** The parts of an address, or a sentence about what is wrong with it. */
function addressIn(text: string): { readonly bucket: string; readonly key: string } {
  const address = parseAddress(text);
  if (address) return address;
  throw bad(`Expected an address s3://bucket/key without empty parts, "." and "..", found ${shown(text)}. Correct it; other kinds of addresses are not read.`); // prettier-ignore
}

const isUrl = (source: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(source);

function realFolder(folder: string): Promise<string> {
  return realpath(folder).catch(() => {
    throw new UsageError('not-found', `Expected a folder at "${folder}", found nothing. Check --allow-folder.`);
  });
}

function bad(message: string): UsageError {
  return new UsageError('bad-line', message);
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 100);
}
