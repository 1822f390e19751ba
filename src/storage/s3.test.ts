import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { atRandom, startFaultProxy, type FaultProxy } from '../../test/fixtures/fault-proxy.js';
import { freePort } from '../../test/fixtures/free-port.js';
import { startS3, type S3 } from '../../test/fixtures/s3.js';
import { openObjects } from './index.js';
import { describeObjectStore, type StoreCase } from './objects.case.js';

let s3: S3;
beforeAll(async () => {
  s3 = await startS3();
  Object.assign(process.env, s3.env);
});
afterAll(() => s3.close());

let stores = 0;
/** A prefix of its own in the one bucket. */
async function openCase(endpoint: string): Promise<StoreCase> {
  process.env['AWS_ENDPOINT_URL_S3'] = endpoint;
  const prefix = `case-${stores++}/below`;
  return {
    url: `s3://${s3.bucket}/${prefix}`,
    damage: async (name) => {
      const path = s3.fileOf(`${prefix}/${name}`);
      const bytes = await readFile(path);
      bytes[bytes.length >> 1]! ^= 1;
      await writeFile(path, bytes);
    },
    leftovers: async () => (await s3.unfinished()).filter((key) => key.startsWith(prefix)).length,
    close: async () => undefined,
  };
}

describeObjectStore('objects in a bucket', () => openCase(s3.endpoint));

let proxy: FaultProxy;
describeObjectStore(
  'objects in a bucket, while every fourth request goes wrong',
  async () => {
    proxy = await startFaultProxy(s3.endpoint, atRandom(0.25, 7));
    // When the answer to the first request for an upload is lost, nobody knows its number: S3's own rules clear it away.
    return { ...(await openCase(proxy.endpoint)), leftovers: async () => 0, close: () => proxy.close() };
  },
  true,
);

describe('the faults', () => {
  it('all happened', () => {
    for (const [fault, times] of Object.entries(proxy.done)) expect(times, fault).toBeGreaterThan(5);
  });
});

describe('an upload in parts', () => {
  const bytes = Buffer.alloc(17 << 20, 'parts');
  const writeThrough = async (
    plan: Parameters<typeof startFaultProxy>[1],
    signal?: AbortSignal,
    onceAsked?: () => void,
  ): Promise<unknown> => {
    const faulty = await startFaultProxy(s3.endpoint, plan);
    process.env['AWS_ENDPOINT_URL_S3'] = faulty.endpoint;
    try {
      const objects = await openObjects(`s3://${s3.bucket}/parts`);
      const writing = objects.write('x', bytes, signal).catch((error: unknown) => error);
      onceAsked?.();
      return await writing;
    } finally {
      await faulty.close();
      process.env['AWS_ENDPOINT_URL_S3'] = s3.endpoint;
    }
  };

  it('is done when only the answer to its last request is lost', async () => {
    let lost = 0;
    const said = await writeThrough(({ method, path }) =>
      method === 'POST' && path.includes('uploadId') && lost++ === 0 ? 'lose-answer' : null,
    );
    expect(lost).toBeGreaterThan(1);
    expect(said).toEqual({ sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length });
  });

  it('that fails for good gives its parts up, and shows nothing', async () => {
    const objects = await openObjects(`s3://${s3.bucket}/parts`);
    for (const failing of [/partNumber=2/, /[?&]uploadId=(?!.*partNumber)/]) {
      await objects.remove('x');
      const said = await writeThrough(({ method, path }) =>
        method !== 'DELETE' && failing.test(path) ? 'error-500' : null,
      );
      expect(said).toMatchObject({ code: 'store-busy' });
      expect(await objects.head('x')).toBeNull();
      expect(await s3.unfinished()).not.toContain('parts/x');
    }
  });

  it('that is stopped before its number is known is given up all the same', async () => {
    const stop = new AbortController();
    let started = 0;
    const said = await writeThrough(({ method, path }) => {
      if (method !== 'POST' || !path.includes('?uploads')) return null;
      started++;
      setTimeout(() => stop.abort(), 50);
      return 'delay';
    }, stop.signal);
    expect(started).toBe(1);
    expect(said).toMatchObject({ code: 'cancelled' });
    expect(await s3.unfinished()).not.toContain('parts/x');
  });

  it('that is stopped before its first request is not begun', async () => {
    const stop = new AbortController();
    let started = 0;
    const writing = writeThrough(
      ({ method, path }) => {
        if (method === 'POST' && path.includes('?uploads')) started++;
        return null;
      },
      stop.signal,
      () => stop.abort(),
    );
    expect(await writing).toMatchObject({ code: 'cancelled' });
    expect(started).toBe(0);
  });

  it('that is stopped when the store has fallen silent does not wait for it', { timeout: 30_000 }, async () => {
    const stop = new AbortController();
    const silenced: string[] = [];
    const said = await writeThrough(({ method, path }) => {
      if (!/[?&]uploadId=/.test(path)) return null;
      silenced.push(method);
      setTimeout(() => stop.abort(), 50);
      return 'silence';
    }, stop.signal);
    expect(said).toMatchObject({ code: 'cancelled' });
    expect(new Set(silenced)).toEqual(new Set(['PUT', 'DELETE']));
  });
});

describe('a store that cannot be used', () => {
  const refusal = async (env: Record<string, string | undefined>, url = `s3://${s3.bucket}/x`): Promise<Error> => {
    const before = { ...process.env };
    for (const [name, value] of Object.entries(env)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    try {
      const said = await openObjects(url).catch((error: unknown) => error);
      expect(said).toBeInstanceOf(Error);
      return said as Error;
    } finally {
      process.env = before;
    }
  };
  /** A server that has one answer for everything. */
  const answering = async (status: number, code: string): Promise<{ endpoint: string; close(): void }> => {
    const server = createServer((_, outgoing) => {
      outgoing.writeHead(status, { 'content-type': 'application/xml' });
      outgoing.end(`<Error><Code>${code}</Code><Message>No.</Message><StringToSign>hunter2</StringToSign></Error>`);
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    return {
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      close: () => void server.close().closeAllConnections(),
    };
  };

  it('for want of the bucket', async () => {
    const said = await refusal({}, 's3://no-such-bucket/x');
    expect(said).toMatchObject({ code: 'bucket-missing', message: expect.stringContaining('"no-such-bucket"') });
  });

  it('for want of a right, without telling any key', async () => {
    const said = await refusal({ AWS_ACCESS_KEY_ID: 'stranger', AWS_SECRET_ACCESS_KEY: 'hunter2' });
    expect(said).toMatchObject({ code: 'store-denied', message: expect.stringContaining('AWS_ACCESS_KEY_ID') });
    expect(JSON.stringify([said.message, said.stack, said.cause, String(said.cause)])).not.toMatch(/hunter2|stranger/);
  });

  it('because nobody is there, without telling a password in the address', async () => {
    const port = await freePort();
    const said = await refusal({ AWS_ENDPOINT_URL_S3: `http://me:hunter2@127.0.0.1:${port}` });
    expect(said).toMatchObject({
      code: 'store-unreachable',
      message: expect.stringContaining(`127.0.0.1:${port} (ECONNREFUSED)`),
    });
    expect(said.message).not.toContain('hunter2');
  });

  it('because it is elsewhere, busy, or the clock is wrong', async () => {
    for (const [status, code, expected] of [
      [301, 'PermanentRedirect', 'region-wrong'],
      [400, 'AuthorizationHeaderMalformed', 'region-wrong'],
      [403, 'AccessDenied', 'store-denied'],
      [500, 'InternalError', 'store-busy'],
      [403, 'RequestTimeTooSkewed', 'clock-wrong'],
      [400, 'SomethingElse', 'store-failed'],
    ] as const) {
      const server = await answering(status, code);
      const said = await refusal({ AWS_ENDPOINT_URL_S3: server.endpoint });
      server.close();
      expect(said, code).toMatchObject({ code: expected });
      expect(JSON.stringify([said.message, String(said.cause)])).not.toContain('hunter2');
    }
  });

  it('for want of a region', async () => {
    const nowhere = await mkdtemp(join(tmpdir(), 'throughline-home-'));
    const said = await refusal({ AWS_REGION: undefined, AWS_ENDPOINT_URL_S3: undefined, HOME: nowhere });
    await rm(nowhere, { recursive: true });
    expect(said).toMatchObject({ code: 'region-missing' });
  });
});
