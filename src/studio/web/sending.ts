import { signal } from '@preact/signals';

import { ask, sendFile } from './api.js';
import { say } from './announce.js';
import { load, showError, topic } from './state.js';
import { countOf } from './time.js';

/** A video on its way to the topic. */
type Sending = {
  readonly name: string;
  readonly fraction: number;
  /** Why it was not taken; `null` where it was, or may be. */
  readonly refusal: string | null;
};

export const sendings = signal<readonly Sending[]>([]);
export const isSending = signal(false);
let stop: AbortController | null = null;

let last: Promise<void> = Promise.resolve();

/** Sends videos to the topic, one after the other, and has them looked at; `name` begins a topic where none is open. */
export function send(files: readonly File[], name: string): Promise<void> {
  last = last.then(() => sendNow(files, name));
  return last;
}

async function sendNow(files: readonly File[], name: string): Promise<void> {
  if (files.length === 0) return;
  isSending.value = true;
  stop = new AbortController();
  sendings.value = files.map((file) => ({ name: file.name, fraction: 0, refusal: null }));
  const change = (at: number, part: Partial<Sending>): void => {
    sendings.value = sendings.value.map((each, index) => (index === at ? { ...each, ...part } : each));
  };
  try {
    if (topic.value?.folder === null) await ask('beginTopic', { body: { name } });
    await load();
    const most = topic.value?.maxUpload ?? Infinity;
    for (const [at, file] of files.entries()) {
      if (stop.signal.aborted) break;
      try {
        if (file.size > most) throw new Error(`It is larger than ${Math.floor(most / 2 ** 20)} MB, the limit for copying. Put it in a folder and open that instead: throughline studio FOLDER.`); // prettier-ignore
        await sendFile(file, stop.signal, (fraction) => change(at, { fraction }));
        change(at, { fraction: 1 });
      } catch (error) {
        change(at, { refusal: error instanceof Error ? error.message : String(error) });
      }
    }
    const taken = sendings.value.filter(({ fraction, refusal }) => fraction === 1 && refusal === null).length;
    say(`${taken} of ${countOf(files.length, 'video')} copied.`);
    if (taken > 0) await include();
    sendings.value = sendings.value.filter(({ refusal }) => refusal !== null);
  } catch (error) {
    showError(error);
    sendings.value = [];
  } finally {
    isSending.value = false;
  }
}

/** Other work may have to end first. */
async function include(): Promise<void> {
  for (;;) {
    await load();
    const state = topic.value?.work.state;
    if (state !== 'analysing' && state !== 'rendering') break;
    await new Promise((wait) => setTimeout(wait, 500));
  }
  const work = await ask('include');
  if (topic.value) topic.value = { ...topic.value, work };
}

export function cancelSending(): void {
  stop?.abort();
}

/** The files of a drop, folders opened one step deep. */
export async function filesOf(dropped: DataTransfer): Promise<File[]> {
  const entries = [...dropped.items].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  if (entries.every((entry) => entry.isFile)) return [...dropped.files];
  const lists = await Promise.all(entries.map(openEntry));
  return lists.flat();
}

async function openEntry(entry: FileSystemEntry): Promise<File[]> {
  const fileOf = (file: FileSystemFileEntry): Promise<File> => new Promise((done, fail) => file.file(done, fail));
  if (entry.isFile) return [await fileOf(entry as FileSystemFileEntry)];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const inside: FileSystemEntry[] = [];
  for (;;) {
    const more = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
    if (more.length === 0) break;
    inside.push(...more);
  }
  return Promise.all(inside.filter(({ isFile, name }) => isFile && !name.startsWith('.')).map((each) => fileOf(each as FileSystemFileEntry))); // prettier-ignore
}
