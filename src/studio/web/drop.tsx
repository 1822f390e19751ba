import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';

import type { Folders } from '../contract.js';
import { say } from './announce.js';
import { ask, sendFile } from './api.js';
import { load, showError, titleOf, topic } from './state.js';
import { countOf } from './time.js';

/** The page before there is anything to see: drop videos, or open what is there. */
export function Welcome() {
  const [name, setName] = useState('');
  const isNew = topic.value?.folder === null;
  return (
    <div class="entrance">
      <section class="dropzone" aria-labelledby="drop-title">
        <h2 id="drop-title">
          {isNew
            ? 'Drop videos of one topic here'
            : topic.value?.known === 0
              ? 'No videos in this topic yet'
              : 'Drop other videos here'}
        </h2>
        <p>
          {isNew
            ? 'Each video is judged by itself and against the others. They are copied into the topic’s folder; nothing leaves this machine.'
            : 'Drop them anywhere on this page, or choose files. They are copied into the topic’s folder; nothing leaves this machine.'}
        </p>
        {isNew && (
          <label class="named">
            <span>Topic name</span>
            <input
              type="text"
              maxLength={120}
              placeholder="My videos"
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          </label>
        )}
        <Picker label="Choose videos" isMain onPick={(files) => void send(files, name.trim() || 'My videos')} />
      </section>
      {isNew && <Open />}
      <DropTarget name={name.trim() || 'My videos'} />
    </div>
  );
}

function Open() {
  const [found, setFound] = useState<Folders | null>(null);
  useEffect(() => {
    ask('folders').then(setFound, showError);
  }, []);
  if (!found) return null;
  const open = (name: string): void => {
    ask('openFolder', { body: { name } }).then(load, showError);
  };
  return (
    <section class="places" aria-labelledby="places-title">
      <h2 id="places-title">Or open an existing topic or folder</h2>
      <p>In {found.folder}</p>
      {found.folders.length === 0 && <p>No topics or folders of videos here.</p>}
      <ul>
        {found.folders.map(({ name, kind, videos }) => (
          <li key={name}>
            <button onClick={() => open(name)}>
              <strong>{name === '.' ? 'This folder' : name}</strong>
              <span>
                {kind === 'topic' ? 'topic' : 'folder'}, {countOf(videos, 'video')}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Lets one choose files; a button as all others, with the browser's own dialogue behind it. */
export function Picker({
  label,
  isMain = false,
  onPick,
}: {
  readonly label: string;
  readonly isMain?: boolean;
  readonly onPick: (files: File[]) => void;
}) {
  return (
    <label class={`button picker ${isMain ? 'primary' : ''}`}>
      {label}
      <input
        type="file"
        multiple
        accept="video/*,.mkv,.mts,.m2ts,.mxf,.ts,.vob,.y4m"
        disabled={isSending.value}
        onChange={(event) => {
          onPick([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = '';
        }}
      />
    </label>
  );
}

/** The whole page takes videos that are dropped on it. */
export function DropTarget({ name = '' }: { readonly name?: string }) {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const hasFiles = (event: DragEvent): boolean => [...(event.dataTransfer?.types ?? [])].includes('Files');
    const onOver = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    document.addEventListener('dragenter', onOver, { signal });
    document.addEventListener('dragover', onOver, { signal });
    document.addEventListener('dragleave', (event) => event.relatedTarget === null && setOver(false), { signal });
    document.addEventListener(
      'drop',
      (event) => {
        if (!hasFiles(event) || !event.dataTransfer) return;
        event.preventDefault();
        setOver(false);
        filesOf(event.dataTransfer).then((files) => send(files, name), showError);
      },
      { signal },
    );
    return () => stop.abort();
  }, [name]);
  if (!isOver) return null;
  return (
    <div class="over" aria-hidden="true">
      <p>{topic.value?.folder ? `Drop to add to ${titleOf(topic.value.name)}` : 'Drop to start a topic'}</p>
    </div>
  );
}

/** Videos on their way, and those that were not taken, with the reason. */
export function Sendings() {
  const list = sendings.value;
  if (list.length === 0) return null;
  const refused = list.filter(({ refusal }) => refusal !== null);
  return (
    <section class="sendings" aria-label="Videos being copied">
      {isSending.value && (
        <header>
          <span>Copying {list.length === 1 ? 'a video' : `${list.length} videos`} into the topic</span>
          <button onClick={cancelSending}>Cancel</button>
        </header>
      )}
      {isSending.value && (
        <ul class="items">
          {list.map(({ name, fraction }) => (
            <li key={name}>
              <span title={name}>{name}</span>
              <progress max={100} value={Math.round(100 * fraction)} aria-label={name} />
            </li>
          ))}
        </ul>
      )}
      {refused.length > 0 && (
        <div class="problem" role="alert">
          {refused.map(({ name, refusal }) => (
            <p key={name}>
              <strong>{name}</strong>: {refusal}
            </p>
          ))}
          {!isSending.value && <button onClick={() => (sendings.value = [])}>Dismiss</button>}
        </div>
      )}
    </section>
  );
}

/** A video on its way to the topic. */
type Sending = {
  readonly name: string;
  readonly fraction: number;
  /** Why it was not taken; `null` where it was, or may be. */
  readonly refusal: string | null;
};

const sendings = signal<readonly Sending[]>([]);
const isSending = signal(false);
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

function cancelSending(): void {
  stop?.abort();
}

/** The files of a drop, folders opened one step deep. */
async function filesOf(dropped: DataTransfer): Promise<File[]> {
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
