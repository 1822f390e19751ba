import { lstat, stat } from 'node:fs/promises';
import { basename } from 'node:path';

import { CancelledError, messageOf, type RunEvent } from '../base/index.js';
import { encodeProxy, isBrowserPlayable, probe, proxyPath, readFirstPicture, type VideoInfo } from '../media/index.js';
import { collectInputs } from '../pipeline/index.js';
import { writeWhole } from '../storage/index.js';
import type { Clip } from './clips-contract.js';

/** The files of a topic, listed at once; their headers, first pictures and proxies follow in the background. Must be closed. */
export type Clips = {
  list(): readonly Clip[];
  /** Lists these files; those known already keep their state. */
  setFiles(paths: readonly string[]): Promise<void>;
  /** Takes the events of an analysis. */
  onEvent(event: RunEvent): void;
  /** The analysis has ended: these files, by name, cannot be used. */
  setSkipped(skipped: readonly { readonly path: string; readonly message: string }[]): void;
  /** Path of what a browser can play; `null` if there is nothing yet. */
  playable(id: string): string | null;
  /** Paths of the proxies that are there, by path of the video. */
  proxies(): Map<string, string>;
  /** JPEG of a picture near the beginning; `null` if there is none. */
  firstPicture(id: string): Promise<Uint8Array | null>;
  /** Makes a proxy of this clip next, also if the original seemed playable. */
  requestProxy(id: string): void;
  close(): Promise<void>;
};

type Input = Awaited<ReturnType<typeof collectInputs>>['inputs'][number];
type Entry = Input & { info: VideoInfo | null; picture: Promise<Uint8Array | null> | null; proxy: string | null };

/** Files that are opened at the same time: the analysis needs the machine too. */
const OPEN_AT_ONCE = 2;
/** Pages hear of changes at most this often. */
const EMIT_MS = 200;

/** `folder` is where proxies are stored; without `hasProxies`, none are made unless asked for. */
export function openClips(folder: string, emit: (clips: readonly Clip[]) => void, hasProxies: boolean): Clips {
  const entries = new Map<string, Entry>();
  let clips: readonly Clip[] = [];
  let timer: NodeJS.Timeout | null = null;
  const stop = new AbortController();
  const { signal } = stop;
  const running = new Set<Promise<unknown>>();
  const track = <T>(work: Promise<T>): Promise<T> => {
    running.add(work);
    void work.catch(() => undefined).finally(() => running.delete(work));
    return work;
  };
  const changed = (): void => {
    timer ??= setTimeout(() => {
      timer = null;
      emit(clips);
    }, EMIT_MS);
  };
  const update = (isMeant: (clip: Clip) => boolean, change: Partial<Clip>): void => {
    clips = clips.map((clip) => (isMeant(clip) ? { ...clip, ...change } : clip));
    changed();
  };
  const updateOne = (id: string, change: Partial<Clip>): void => update((clip) => clip.id === id, change);

  /** Files to be opened. Pictures come before headers: somebody looks at them. */
  type Opening = () => Promise<unknown>;
  const [pictures, headers]: [Opening[], Opening[]] = [[], []];
  let opening = 0;
  const openNext = (): void => {
    while (opening < OPEN_AT_ONCE && !signal.aborted) {
      const next = pictures.shift() ?? headers.shift();
      if (!next) return;
      opening++;
      void track(next()).catch(() => undefined).finally(() => (opening--, openNext())); // prettier-ignore
    }
  };

  /** Proxies to be made, next first; one at a time, because the analysis needs the machine too. */
  const queue: string[] = [];
  let isMaking = false;
  const makeProxies = async (): Promise<void> => {
    if (isMaking) return;
    isMaking = true;
    for (let id = queue.shift(); id !== undefined && !signal.aborted; id = queue.shift()) await makeProxy(id);
    isMaking = false;
  };
  const makeProxy = async (id: string): Promise<void> => {
    const entry = entries.get(id);
    if (!entry?.info || entry.proxy) return;
    const { info } = entry;
    try {
      const target = await proxyPath(folder, info.path);
      const onFraction = (made: number): void => updateOne(id, { made });
      if ((await stat(target).catch(() => null)) === null) {
        await writeWhole(target, (draft) => encodeProxy(info, draft, { signal, onFraction }));
      }
      entry.proxy = target;
      updateOne(id, { playback: 'proxy', made: 1, problem: null });
    } catch (error) {
      if (error instanceof CancelledError || signal.aborted) return;
      updateOne(id, { playback: 'none', problem: sayWithout(entry, messageOf(error)) });
    }
  };
  const requestProxy = (id: string): void => {
    const entry = entries.get(id);
    if (!entry?.info || entry.proxy) return;
    const index = queue.indexOf(id);
    if (index >= 0) queue.splice(index, 1);
    else updateOne(id, { playback: 'making', made: 0 });
    queue.unshift(id);
    void track(makeProxies());
  };
  const inspect = async (id: string): Promise<void> => {
    const entry = entries.get(id)!;
    try {
      entry.info = await probe(entry.path, signal);
      updateOne(id, { seconds: entry.info.durationHint });
      if (isBrowserPlayable(entry.info)) updateOne(id, { playback: 'original' });
      else if (!hasProxies) updateOne(id, { playback: 'none' });
      else {
        updateOne(id, { playback: 'making' });
        queue.push(id);
        void track(makeProxies());
      }
    } catch (error) {
      if (error instanceof CancelledError || signal.aborted) return;
      updateOne(id, { playback: 'none', state: 'failed', problem: sayWithout(entry, messageOf(error)) });
    }
  };

  return {
    list: () => clips,
    async setFiles(paths) {
      const there = await Promise.all(paths.map(async (path) => (await lstat(path).catch(() => null)) !== null));
      const here = paths.filter((_, index) => there[index]);
      const found = here.length === 0 ? [] : (await collectInputs(here, { recursive: false, out: folder })).inputs;
      const known = new Map(clips.map((clip) => [clip.id, clip]));
      for (const input of found) {
        if (entries.get(input.id)?.path !== input.path) {
          entries.set(input.id, { ...input, info: null, picture: null, proxy: null });
          known.delete(input.id);
        }
      }
      const fresh = found.filter(({ id }) => !known.has(id));
      const gone = paths
        .filter((_, index) => !there[index])
        .map((path): Clip => ({
          ...blank(`gone/${basename(path)}`, basename(path)),
          ...{ state: 'failed', playback: 'none', problem: `"${basename(path)}" is gone. Put it back, or remove it with "throughline topic remove".` }, // prettier-ignore
        }));
      clips = [...found.map(({ id, name }) => known.get(id) ?? blank(id, name)), ...gone];
      changed();
      for (const { id } of fresh) headers.push(() => inspect(id));
      openNext();
    },
    onEvent(event) {
      if (event.type === 'progress' && event.stage === 'analyse' && event.item !== null) {
        const { item, ofItem = 0 } = event;
        const isMeant = ({ name, state }: Clip): boolean => name === item && state !== 'analysed';
        update(isMeant, { state: 'analysing', fraction: Math.min(1, ofItem) });
      }
      if (event.type === 'item-done' && event.stage === 'analyse') {
        update(({ name }) => name === event.item, { state: 'analysed', fraction: 1 });
      }
      if (event.type === 'skipped')
        update(({ name }) => name === event.item, { state: 'failed', problem: event.message });
    },
    setSkipped(skipped) {
      const reasons = new Map(skipped.map(({ path, message }) => [path, message]));
      clips = clips.map((clip) =>
        reasons.has(clip.name) ? { ...clip, state: 'failed', problem: reasons.get(clip.name)! } : clip,
      );
      changed();
    },
    playable(id) {
      const entry = entries.get(id);
      const playback = clips.find((clip) => clip.id === id)?.playback;
      if (!entry || playback === undefined) return null;
      if (playback === 'proxy') return entry.proxy;
      return playback === 'original' || playback === 'unknown' ? entry.path : null;
    },
    proxies: () => new Map([...entries.values()].flatMap(({ path, proxy }) => (proxy ? [[path, proxy]] : []))),
    async firstPicture(id) {
      const entry = entries.get(id);
      if (!entry) return null;
      entry.picture ??= new Promise((done) => {
        pictures.push(() => readFirstPicture(entry.path, signal).then(done, () => done(null)));
        openNext();
      });
      return entry.picture;
    },
    requestProxy,
    async close() {
      stop.abort();
      if (timer) clearTimeout(timer);
      await Promise.allSettled(running);
    },
  };
}

function blank(id: string, name: string): Clip {
  return { id, name, seconds: null, state: 'waiting', fraction: 0, playback: 'unknown', made: 0, problem: null };
}

/** Messages name files by path; people know them by name. */
function sayWithout({ path, name }: Entry, message: string): string {
  return message.replaceAll(path, name);
}
