import { useEffect, useState } from 'preact/hooks';

import type { Folders } from '../topics-contract.js';
import { ask } from './api.js';
import { cancelSending, filesOf, isSending, send, sendings } from './sending.js';
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
