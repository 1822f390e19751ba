import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CreateMultipartUploadCommand, S3Client, _Object as S3Entry } from '@aws-sdk/client-s3';

import { CancelledError, StoreError, ThroughlineError } from '../base/index.js';
import { writeWhole, checkName, contentHash, damaged, hashFile, unreadable, type ContentHash } from './files.js';
import type { Bucket, ObjectStore } from './objects.js';
import { emptyIfOutside, explainS3, isOutside, isReplaced, nullIfAbsent } from './s3-errors.js';

/** Larger objects are sent and fetched in parts of this size; S3 allows 10,000 parts of 5 MiB to 5 GiB. */
const PART_BYTES = 8 << 20;
const MAX_PARTS = 10_000;
/** Attempts for what the SDK does not retry: a truncated response, an object replaced while it was read. */
const TRIES = 5;
/** Time limit, after an abort, for getting the id of an upload that was just begun and for aborting that upload. */
const LAST_WORD_MS = 5000;

type Target = { Bucket: string; Key: string };

/** The requests that every use of a bucket makes. `url` is for messages. */
async function connect(bucket: string, url: string) {
  // The SDK would warn about versions of Node that it will drop; which versions we support is our decision.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const aws = await import('@aws-sdk/client-s3');
  const client = newClient(aws.S3Client);

  /** Every request goes through here, so that no error of the SDK leaks: it may quote a signature. */
  const ask = async <Answer>(signal: AbortSignal | undefined, request: () => Promise<Answer>): Promise<Answer> => {
    try {
      signal?.throwIfAborted();
      return await request();
    } catch (error) {
      if (signal?.aborted) throw new CancelledError();
      throw error instanceof ThroughlineError ? error : explainS3(error, { bucket, url });
    }
  };

  /** The bytes of one answer. Asks again if the connection breaks before the end. */
  const get = async (
    target: Target & { IfMatch?: string },
    range: Parameters<ObjectStore['read']>[1],
    signal: AbortSignal | undefined,
  ): Promise<{ bytes: Buffer; sha256: string | undefined } | null> => {
    const Range = range && `bytes=${range.offset}-${range.offset + range.length - 1}`;
    for (let tries = 1; ; tries++) {
      const command = new aws.GetObjectCommand({ ...target, Range });
      const answer = await client.send(command, heeding(signal)).catch(nullIfAbsent);
      if (!answer) return null;
      try {
        const bytes = Buffer.from((await answer.Body?.transformToByteArray()) ?? []);
        if (bytes.length < (answer.ContentLength ?? 0)) throw new Error('The answer ended early.');
        return { bytes: bytes.subarray(0, range?.length), sha256: answer.Metadata?.['sha256'] };
      } catch (error) {
        if (tries === TRIES || signal?.aborted) throw error;
        await sleep(50 * 2 ** tries);
      }
    }
  };

  /** Fetches an object into a file in parts, and gives its SHA-256; `null` if the object was replaced in between. */
  const fetchInto = async (
    path: string,
    target: Target,
    { bytes, etag }: { readonly bytes: number; readonly etag?: string | undefined },
    signal?: AbortSignal,
  ): Promise<string | null> => {
    const hash = createHash('sha256');
    const file = await open(path, 'w');
    try {
      for (let offset = 0; offset < bytes; offset += PART_BYTES) {
        const range = { offset, length: Math.min(PART_BYTES, bytes - offset) };
        const part = await get({ ...target, ...(etag && { IfMatch: etag }) }, range, signal);
        if (part?.bytes.length !== range.length) return null;
        hash.update(part.bytes);
        await file.writeFile(part.bytes);
      }
    } catch (error) {
      if (isReplaced(error) || isOutside(error)) return null;
      throw error;
    } finally {
      await file.close();
    }
    return hash.digest('hex');
  };

  const listed = async function* (Prefix: string, Delimiter?: string): AsyncGenerator<S3Entry> {
    let from: string | undefined;
    do {
      const command = new aws.ListObjectsV2Command({ Bucket: bucket, Prefix, Delimiter, ContinuationToken: from });
      const page = await ask(undefined, () => client.send(command));
      for (const entry of page.Contents ?? []) if (entry.Key !== undefined) yield entry;
      from = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (from !== undefined);
  };

  return { aws, client, ask, get, fetchInto, listed };
}

/** A bucket that others write to. */
export async function openBucket(bucket: string): Promise<Bucket> {
  const url = `s3://${bucket}`;
  const { aws, client, ask, fetchInto, listed } = await connect(bucket, url);
  return {
    async *list(prefix, isDeep) {
      for await (const { Key, Size = 0, ETag = '' } of listed(prefix, isDeep ? undefined : '/')) {
        yield { key: Key!, bytes: Size, etag: bareEtag(ETag) };
      }
    },
    fetch: (key, version, path, signal) =>
      ask(signal, async () => {
        const target = { Bucket: bucket, Key: key };
        const found = await client.send(new aws.HeadObjectCommand(target), heeding(signal)).catch(nullIfAbsent);
        if (!found) return 'gone';
        const { ContentLength: bytes = 0, ETag: etag } = found;
        if (bytes !== version.bytes || (version.etag && bareEtag(etag ?? '') !== bareEtag(version.etag)))
          return 'changed';
        const sha256 = await fetchInto(path, target, { bytes, etag }, signal);
        return sha256 === null ? 'changed' : { sha256, bytes };
      }),
  };
}

/** An ETag as people copy it: services differ in whether they quote it. */
const bareEtag = (etag: string): string => etag.replace(/^W\//, '').replaceAll('"', '');

/**
 * Objects in a bucket. S3 guarantees that a put is whole or nothing, and so is the end of an upload in parts. The SHA-256 is
 * sent with the bytes for S3 to check, and stored with the object as metadata for the reader to check.
 */
export async function openS3(bucket: string, prefix: string): Promise<ObjectStore> {
  const url = `s3://${bucket}${prefix && `/${prefix}`}`;
  const under = prefix && `${prefix}/`;
  const { aws, client, ask, get, fetchInto, listed } = await connect(bucket, url);
  const at = (name: string): Target => ({ Bucket: bucket, Key: under + checkName(name) });

  const head = async (target: Target, signal?: AbortSignal): Promise<(ContentHash & { etag?: string }) | null> => {
    const found = await client.send(new aws.HeadObjectCommand(target), heeding(signal)).catch(nullIfAbsent);
    const sha256 = found?.Metadata?.['sha256'];
    if (!found || sha256 === undefined) return null;
    return { sha256, bytes: found.ContentLength ?? 0, ...(found.ETag && { etag: found.ETag }) };
  };

  const put = async (
    name: string,
    content: ContentHash & { body: Uint8Array | Readable },
    signal?: AbortSignal,
  ): Promise<ContentHash> => {
    const { sha256, bytes, body } = content;
    const target = { ...at(name), Metadata: { sha256 }, ContentLength: bytes };
    await ask<unknown>(signal, () => {
      if (bytes > PART_BYTES) return putInParts({ ...target, Body: body }, content, signal);
      const ChecksumSHA256 = Buffer.from(sha256, 'hex').toString('base64');
      return client.send(new aws.PutObjectCommand({ ...target, Body: body, ChecksumSHA256 }), heeding(signal));
    });
    return { sha256, bytes };
  };

  const putInParts = async (
    params: Target & { Body: Uint8Array | Readable },
    { sha256, bytes }: ContentHash,
    signal?: AbortSignal,
  ): Promise<void> => {
    const { Upload } = await import('@aws-sdk/lib-storage');
    const { Bucket, Key } = params;
    const failed = new AbortController();
    const until = AbortSignal.any([failed.signal, ...(signal ? [signal] : [])]);
    let UploadId: string | undefined;
    // The SDK's uploader passes no signal on, continues after a failed part, and leaves the parts behind if its end fails.
    const send = async (command: CreateMultipartUploadCommand): Promise<unknown> => {
      const isBeginning = command instanceof aws.CreateMultipartUploadCommand;
      try {
        until.throwIfAborted();
        const answer = await client.send(command, heeding(isBeginning ? delayed(until, LAST_WORD_MS) : until));
        UploadId ??= answer.UploadId;
        return answer;
      } catch (error) {
        failed.abort();
        throw error;
      }
    };
    const partSize = Math.max(PART_BYTES, Math.ceil(bytes / MAX_PARTS));
    const upload = new Upload({
      client: Object.create(client, { send: { value: send } }) as S3Client,
      params: { ...params, ChecksumAlgorithm: 'SHA256' },
      partSize,
      queueSize: 3,
      leavePartsOnError: true,
    });
    try {
      await upload.done();
    } catch (error) {
      if (UploadId === undefined) throw error;
      const lastWord = signal?.aborted ? AbortSignal.timeout(LAST_WORD_MS) : undefined;
      const giveUp = new aws.AbortMultipartUploadCommand({ Bucket, Key, UploadId });
      await client.send(giveUp, heeding(lastWord)).catch(() => undefined);
      // If only the answer to the last request was lost, asking again says that there is no such upload: it is done.
      const stored = signal?.aborted ? null : await head({ Bucket, Key }).catch(() => null);
      if (stored?.sha256 !== sha256) throw error;
    }
  };

  // Checked once at the start, because the answer for a missing object does not say whether the bucket exists.
  await ask(undefined, () => client.send(new aws.ListObjectsV2Command({ Bucket: bucket, Prefix: under, MaxKeys: 1 })));
  return {
    url,
    head: (name, signal) =>
      ask(signal, async () => {
        const found = await head(at(name), signal);
        return found && { sha256: found.sha256, bytes: found.bytes };
      }),
    read: (name, range, signal) =>
      ask(signal, async () => {
        if (range?.length === 0) return (await head(at(name), signal)) && Buffer.alloc(0);
        for (let tries = 1; tries <= TRIES; tries++) {
          const answer = await get(at(name), range, signal).catch(emptyIfOutside);
          if (!answer) return null;
          if (range || contentHash(answer.bytes).sha256 === answer.sha256) return answer.bytes;
        }
        throw damaged(name, url);
      }),
    write: (name, given, signal) => {
      const body = typeof given === 'string' ? Buffer.from(given) : given;
      return put(name, { ...contentHash(body), body }, signal);
    },
    async upload(name, path, signal, known) {
      checkName(name);
      const { size } = await stat(path).catch((error: unknown) => Promise.reject(unreadable(path, error)));
      if (size <= PART_BYTES) {
        const body = await readFile(path).catch((error: unknown) => Promise.reject(unreadable(path, error)));
        return put(name, { ...contentHash(body), body }, signal);
      }
      const content = known ?? (await hashFile(path, signal));
      return put(name, { ...content, body: Readable.from(readUnchanged(path, content)) }, signal);
    },
    async download(name, path, signal) {
      let isThere = false;
      const absent = new Error('absent');
      const fetchWhole = async (draft: string): Promise<void> => {
        for (let tries = 1; tries <= TRIES; tries++) {
          const found = await ask(signal, () => head(at(name), signal));
          isThere = found !== null;
          if (!found) throw absent;
          if ((await ask(signal, () => fetchInto(draft, at(name), found, signal))) === found.sha256) return;
        }
        throw damaged(name, url);
      };
      await writeWhole(path, fetchWhole).catch((error: unknown) => {
        if (error !== absent) throw error;
      });
      return isThere;
    },
    localPath: () => null,
    async *list(prefix) {
      for await (const { Key } of listed(under + prefix)) yield Key!.slice(under.length);
    },
    async *entries(prefix) {
      for await (const { Key, Size = 0, LastModified } of listed(under + prefix)) {
        yield { name: Key!.slice(under.length), bytes: Size, modifiedMs: LastModified?.getTime() ?? 0 };
      }
    },
    async remove(name) {
      await ask(undefined, () => client.send(new aws.DeleteObjectCommand(at(name))));
    },
  };
}

/** The SDK finds keys, region and endpoint: in the environment, then from the role of this machine. */
function newClient(Client: typeof S3Client): S3Client {
  const endpoint = process.env['AWS_ENDPOINT_URL_S3'] ?? process.env['AWS_ENDPOINT_URL'];
  return new Client({
    maxAttempts: 8,
    requestHandler: { connectionTimeout: 10_000, socketTimeout: 60_000 },
    // Services other than Amazon's use addresses of the form host/bucket, and few of them need a region.
    ...(endpoint && { forcePathStyle: true, region: process.env['AWS_REGION'] ?? 'us-east-1' }),
  });
}

const heeding = (signal: AbortSignal | undefined): { abortSignal?: AbortSignal } =>
  signal ? { abortSignal: signal } : {};

/** Aborts a while after `signal` does. */
function delayed(signal: AbortSignal, ms: number): AbortSignal {
  const later = new AbortController();
  signal.addEventListener('abort', () => setTimeout(() => later.abort(), ms).unref(), { once: true });
  return later.signal;
}

/** The bytes of a file. Throws before the end if they are no longer those that were hashed. */
async function* readUnchanged(path: string, content: ContentHash): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Uint8Array>) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest('hex') !== content.sha256) {
    throw new StoreError(
      'unreadable',
      `Expected "${path}" to stay the same while it was read, found that it changed. Wait until it is complete and run again.`,
    );
  }
}
