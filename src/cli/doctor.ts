import { readdir, stat, statfs } from 'node:fs/promises';
import { availableParallelism, freemem, totalmem } from 'node:os';
import { join } from 'node:path';
import pc from 'picocolors';

import { messageOf } from '../base/index.js';
import { DEVICES, openExtractor, usableDevices } from '../features/index.js';
import { defaultCacheFolder, VERSION } from '../index.js';
import { listCodecs, locateFfmpeg } from '../media/index.js';
import { openCache } from '../storage/index.js';

type Finding = { readonly name: string; readonly state: 'good' | 'warning' | 'missing'; readonly text: string };

const WANTED_DECODERS = {
  'H.264': ['h264'],
  HEVC: ['hevc'],
  VP9: ['vp9', 'libvpx-vp9'],
  AV1: ['libdav1d', 'libaom-av1', 'av1'],
  'MPEG-4': ['mpeg4'],
};
const WANTED_ENCODERS = { 'H.264': ['libx264'], AAC: ['aac'] };
/** Needed only by some values of `--format` and `--preview`. */
const OTHER_ENCODERS = { VP9: ['libvpx-vp9'], Opus: ['libopus'], GIF: ['gif'], WebP: ['libwebp_anim'] };
/** Builds before this major version no longer get fixes for hostile files. */
const MAINTAINED_MAJOR = 6;
/** With less room than this the analysis of a few hours could fill the disk. */
const LITTLE_BYTES = 500 * 2 ** 20;

/** Prints what was found, and what to do about anything missing. Returns whether a run would work. */
export async function doctor({ json = false }: { json?: boolean }): Promise<boolean> {
  const findings = [runtime(), ...(await decoder()), await network(), await devices(), machine(), await cache()];
  const isReady = findings.every((finding) => finding.state !== 'missing');
  if (json) process.stdout.write(`${JSON.stringify({ throughline: VERSION, findings }, null, 2)}\n`);
  else {
    const signs = { good: pc.green('✓'), warning: pc.yellow('!'), missing: pc.red('✗') };
    process.stdout.write(`Throughline ${VERSION}\n`);
    for (const { name, state, text } of findings) process.stdout.write(`${signs[state]} ${name.padEnd(10)} ${text}\n`);
    process.stdout.write(
      isReady
        ? 'Everything needed is here. "throughline demo" tries it out.\n'
        : `Not ready: see ${pc.red('✗')} above for what to do.\n`,
    );
  }
  return isReady;
}

function runtime(): Finding {
  // An older Node than the program needs was refused before.
  return {
    name: 'runtime',
    state: 'good',
    text: `Node ${process.versions.node} on ${process.platform}-${process.arch}`,
  };
}

async function decoder(): Promise<Finding[]> {
  try {
    const ffmpeg = await locateFfmpeg();
    const codecs = await listCodecs(ffmpeg);
    const from = { bundled: 'bundled', path: 'from PATH', environment: 'from FFMPEG_PATH' }[ffmpeg.origin];
    const version = ffmpeg.version.replace(/ Copyright.*/, '');
    const old = ffmpeg.major < MAINTAINED_MAJOR;
    const missing = (wanted: Record<string, string[]>, have: Set<string>): string[] =>
      Object.entries(wanted).flatMap(([name, any]) => (any.some((codec) => have.has(codec)) ? [] : [name]));
    const able = (wanted: Record<string, string[]>, have: Set<string>): string[] =>
      Object.keys(wanted).filter((name) => !missing(wanted, have).includes(name));
    const noDecode = missing(WANTED_DECODERS, codecs.decoders);
    const noEncode = missing(WANTED_ENCODERS, codecs.encoders);
    return [
      {
        name: 'decoder',
        state: old ? 'warning' : 'good',
        text: `${version} (${from})${old ? '; this version is old: install a newer ffmpeg before opening files you do not trust' : ''}`,
      },
      noDecode.length > 0
        ? {
            name: 'reads',
            state: 'warning',
            text: `cannot read ${noDecode.join(', ')}; set FFMPEG_PATH to a fuller ffmpeg if you need them`,
          }
        : { name: 'reads', state: 'good', text: Object.keys(WANTED_DECODERS).join(', ') },
      noEncode.length > 0
        ? {
            name: 'writes',
            state: 'missing',
            text: `cannot write ${noEncode.join(', ')}; set FFMPEG_PATH to an ffmpeg with libx264 and aac`,
          }
        : {
            name: 'writes',
            state: 'good',
            text: [...Object.keys(WANTED_ENCODERS), ...able(OTHER_ENCODERS, codecs.encoders)].join(', '),
          },
    ];
  } catch (error) {
    return [{ name: 'decoder', state: 'missing', text: messageOf(error) }];
  }
}

async function network(): Promise<Finding> {
  try {
    const extractor = await openExtractor({ features: 'default' }, { workers: 1 });
    try {
      const began = performance.now();
      const vector = await extractor.embed(new Uint8Array(extractor.sample.widthPx * extractor.sample.heightPx * 3));
      const ms = Math.round(performance.now() - began);
      return {
        name: 'network',
        state: 'good',
        text: `${extractor.name}, ${vector.length} numbers per picture, first picture after ${ms} ms`,
      };
    } finally {
      await extractor.close();
    }
  } catch (error) {
    return { name: 'network', state: 'missing', text: messageOf(error) };
  }
}

async function devices(): Promise<Finding> {
  const usable = await usableDevices();
  const others = DEVICES.filter((device) => !usable.includes(device));
  const text = `${usable.join(', ') || 'none'}${others.length > 0 ? `; not here: ${others.join(', ')}` : ''}`;
  return { name: 'devices', state: usable.length > 0 ? 'good' : 'warning', text };
}

const gib = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

function machine(): Finding {
  return {
    name: 'machine',
    state: 'good',
    text: `${availableParallelism()} cores, ${gib(freemem())} of ${gib(totalmem())} memory free`,
  };
}

async function cache(): Promise<Finding> {
  const folder = defaultCacheFolder();
  try {
    await openCache(folder);
    const { bavail, bsize } = await statfs(folder);
    const { entries, bytes } = await measure(folder);
    const free = bavail * bsize;
    const text = `${folder}: ${entries} entries, ${gib(bytes)}; ${gib(free)} free on its disk`;
    return free < LITTLE_BYTES
      ? { name: 'cache', state: 'warning', text: `${text}; free some space` }
      : { name: 'cache', state: 'good', text };
  } catch (error) {
    return { name: 'cache', state: 'missing', text: messageOf(error) };
  }
}

async function measure(folder: string): Promise<{ entries: number; bytes: number }> {
  let bytes = 0;
  const entries = await readdir(folder);
  for (const entry of entries) {
    for (const file of await readdir(join(folder, entry)).catch(() => [])) {
      bytes += (await stat(join(folder, entry, file)).catch(() => null))?.size ?? 0;
    }
  }
  return { entries: entries.length, bytes };
}
