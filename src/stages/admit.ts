import { stat } from 'node:fs/promises';

import { mapLimited, MediaError, StoreError, ThroughlineError, CancelledError } from '../base/index.js';
import type { Input } from './collect-inputs.js';
import { probe, type VideoInfo } from '../media/index.js';
import type { Run } from '../run.js';

/** A file that is a video: its headers and its content. */
export type Video = Input & {
  readonly info: VideoInfo;
  readonly sha256: string;
  readonly bytes: number;
  /** What would change if somebody wrote to the file; absent where its content was checked another way. */
  readonly stamp?: string;
};

/** Opens every file. What is no video, or the same as an earlier file, is named and left out. */
export async function admitVideos(inputs: readonly Input[], run: Run): Promise<Video[]> {
  run.tell({ type: 'stage-started', stage: 'probe', total: inputs.length });
  let done = 0;
  const opened = await mapLimited(inputs, run.jobs, (input) =>
    keepGoing(run, input, async () => {
      const stamp = await stampOf(input.path);
      const info = await probe(input.path, run.signal);
      const video = { ...input, info, ...(await run.shelf.hash(input.path, run.signal)), stamp };
      await requireUnchanged(video, run);
      run.tell({ type: 'progress', stage: 'probe', fraction: ++done / inputs.length, item: input.name, frames: 0 });
      return video;
    }),
  );
  const first = new Map<string, string>();
  const videos = opened.filter((video) => {
    if (video === null) return false;
    const twin = first.get(video.sha256);
    if (twin === undefined) first.set(video.sha256, video.name);
    else
      skip(
        run,
        video.name,
        'duplicate',
        `"${video.name}" has the same content as "${twin}" and was left out. Remove one of them.`,
      );
    return twin === undefined;
  }) as Video[];
  run.tell({ type: 'stage-done', stage: 'probe' });
  return requireSome(videos, run);
}

/** Results are kept by content: what was read of a file that was written to meanwhile must not count as read of it. */
export async function requireUnchanged({ path, name, stamp, sha256 }: Omit<Video, 'info'>, run: Run): Promise<void> {
  const now = stamp === undefined ? undefined : await stampOf(path);
  if (now === stamp) return;
  // A new link or permission changes the last part alone; so does whoever writes to a file and sets its time back.
  const isTouched = now?.replace(/[^-]*$/, '') === stamp?.replace(/[^-]*$/, '');
  if (isTouched && (await run.shelf.hash(path, run.signal)).sha256 === sha256) return;
  throw new MediaError('source-changed', `"${name}" was changed while it was being read. Run again when it stays as it is.`); // prettier-ignore
}

/** What would change if somebody wrote to a file. */
export async function stampOf(path: string): Promise<string> {
  // A file that is not there is named by those who open it.
  const facts = await stat(path, { bigint: true }).catch(() => null);
  return facts === null ? '' : [facts.dev, facts.ino, facts.size, facts.mtimeNs, facts.ctimeNs].join('-');
}

/** Does one video's part of a stage. An error that concerns that video alone skips it; any other ends the run. */
export async function keepGoing<T>(run: Run, input: Input, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    const concernsAll = error instanceof CancelledError || (error instanceof StoreError && error.code !== 'unreadable');
    if (!(error instanceof ThroughlineError) || concernsAll || WHOLE_RUN.has(error.code)) throw error;
    // The record of a run must not depend on where its folder stands.
    skip(run, input.name, error.code, error.message.replaceAll(input.path, input.name));
    return null;
  }
}

/** Errors of the machine rather than of one video. */
export const WHOLE_RUN = new Set(
  'no-decoder no-encoder no-model bad-model no-runtime no-device no-temp-folder disk-full not-writable'.split(' '),
);

/** Leaves an input out of a run, with the reason: in the record, and told at once. */
export function skip(run: Run, name: string, code: string, message: string): void {
  run.skipped.push({ path: name, code, message });
  run.tell({ type: 'skipped', item: name, code, message });
}

/** A run with nothing left to work on ends here. */
export function requireSome<T>(items: readonly T[], run: Run): T[] {
  if (items.length > 0) return [...items];
  const { length } = run.skipped;
  const what =
    length === 1
      ? 'The only file could not be used; the reason is'
      : `None of the ${length} files could be used; the reason for each is`;
  throw new ThroughlineError('nothing-done', `${what} given above.`);
}
