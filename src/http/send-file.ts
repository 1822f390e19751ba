import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';
import { Readable } from 'node:stream';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.mp4': 'video/mp4',
  '.m4v': 'video/mp4',
  '.mov': 'video/mp4',
  '.webm': 'video/webm',
  '.mkv': 'video/x-matroska',
  '.woff2': 'font/woff2',
};

/** The bytes that a Range header asks for: [start, end), all, or none that exist. */
export function readRange(header: string | undefined, size: number): { start: number; end: number } | 'all' | 'none' {
  const found = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  // A list of ranges or an unknown unit may be ignored: the whole file is a valid answer.
  if (!found || (found[1] === '' && found[2] === '')) return 'all';
  const [, first = '', last = ''] = found;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  return start < end ? { start, end } : 'none';
}

/** A file, or the part of it that a Range header asks for, as a streamed answer. */
export async function sendFile(path: string, request: Request): Promise<Response> {
  const facts = await stat(path).catch(() => null);
  if (!facts?.isFile()) return Response.json({ code: 'not-found', message: 'There is no such file.' }, { status: 404 });
  const headers = new Headers({
    'Content-Type': TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream',
    'Accept-Ranges': 'bytes',
    'Last-Modified': facts.mtime.toUTCString(),
  });
  const range = readRange(request.headers.get('range') ?? undefined, facts.size);
  if (range === 'none') {
    headers.set('Content-Range', `bytes */${facts.size}`);
    return new Response(null, { status: 416, headers });
  }
  const { start, end } = range === 'all' ? { start: 0, end: facts.size } : range;
  headers.set('Content-Length', String(end - start));
  if (range !== 'all') headers.set('Content-Range', `bytes ${start}-${end - 1}/${facts.size}`);
  const isEmpty = request.method === 'HEAD' || end === start;
  const body = isEmpty ? null : Readable.toWeb(createReadStream(path, { start, end: end - 1 }));
  return new Response(body as ReadableStream | null, { status: range === 'all' ? 200 : 206, headers });
}

/** Whether a path is inside a folder, by its words. */
export function isWithin(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Path of a file inside a folder; `null` if its name, or a link, leads out of the folder. */
export async function inside(folder: string | null, name: string): Promise<string | null> {
  if (folder === null || name.includes('\0')) return null;
  const path = normalize(join(folder, name));
  if (!isWithin(path, folder)) return null;
  const [file, top] = await Promise.all([path, folder].map((each) => realpath(each).catch(() => null)));
  return file && top && isWithin(file, top) ? file : null;
}
