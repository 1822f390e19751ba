import { useEffect, useState } from 'preact/hooks';

import type { CutListRequest, Output, ResultFile } from '../contract.js';
import { say } from './announce.js';
import { ask } from './api.js';
import { countOf } from './time.js';
import { command, isBusy, showError, topic, videos, selection } from './state.js';

/** What editing systems call each kind of list. */
const FORMATS: Readonly<Record<CutListRequest['format'], string>> = {
  fcpxml: 'FCPXML: Final Cut Pro, DaVinci Resolve',
  xmeml: 'Final Cut Pro 7 XML: Premiere Pro',
  edl: 'EDL (CMX 3600): most editing systems',
  otio: 'OpenTimelineIO: Kdenlive',
  mlt: 'MLT XML: Shotcut, melt',
  xges: 'GStreamer Editing Services: Pitivi',
  csv: 'CSV: spreadsheets',
  json: 'JSON: scripts',
  vtt: 'WebVTT chapters',
  youtube: 'YouTube chapters',
  'mkv-chapters': 'Matroska chapters',
};

const PICTURES = [
  ['storyboard', 'Storyboard of each video (PNG)'],
  ['svg', 'Storyboard with links into the video (SVG)'],
  ['sheet', 'Contact sheets of all shots'],
  ['pdf', 'Contact sheet for print (PDF)'],
  ['stills', 'Middle frame of each chosen shot, full size'],
] as const;

/** What leaves the studio: films and pictures, cut lists, and the files that were made. */
export function Export() {
  return (
    <div class="export">
      <Films />
      <CutLists />
      <Files />
      <ReviewLink />
    </div>
  );
}

function Films() {
  const [output, setOutput] = useState<Output | undefined>(topic.value?.output);
  if (!output) return null;
  const change = (part: Partial<Output>): void => setOutput({ ...output, ...part });
  const drawn = new Set(output.pictures.split(','));
  const draw = (name: string, isWanted: boolean): void => {
    const names = PICTURES.map(([each]) => each).filter((each) => (each === name ? isWanted : drawn.has(each)));
    change({ pictures: names.join(',') || 'none' });
  };
  return (
    <form
      class="sheet"
      aria-labelledby="films-title"
      onSubmit={(event) => {
        event.preventDefault();
        void command('render', output);
      }}
    >
      <h2 id="films-title">Films and pictures</h2>
      <p>The report{selection.value?.film ? ' and the film of the topic are' : ' is'} always included.</p>
      <label class="tick">
        <input
          type="checkbox"
          checked={output.films}
          onChange={(event) => change({ films: event.currentTarget.checked })}
        />
        A film of each video
      </label>
      <label class="field">
        <span>Film format</span>
        <select
          value={output.format}
          onChange={(event) => change({ format: event.currentTarget.value as Output['format'] })}
        >
          <option value="mp4">MP4 (H.264, AAC)</option>
          <option value="webm">WebM (VP9, Opus): smaller, slower</option>
          <option value="copy">MP4, without re-encoding where possible</option>
        </select>
      </label>
      <label class="field">
        <span>Animated previews</span>
        <select
          value={output.preview}
          onChange={(event) => change({ preview: event.currentTarget.value as Output['preview'] })}
        >
          <option value="none">None</option>
          <option value="gif">GIF</option>
          <option value="webp">WebP: smaller</option>
        </select>
      </label>
      <label class="field">
        <span>Around pictures of another shape</span>
        <select
          value={output.surround}
          onChange={(event) => change({ surround: event.currentTarget.value as Output['surround'] })}
        >
          <option value="blur">The picture itself, blurred</option>
          <option value="plain">Black</option>
        </select>
      </label>
      <label class="field">
        <span>Music under the film of the topic</span>
        <input
          type="text"
          placeholder="Path of a sound file"
          value={output.music ?? ''}
          onChange={(event) => change({ music: event.currentTarget.value.trim() || null })}
        />
      </label>
      <fieldset>
        <legend>Pictures</legend>
        {PICTURES.map(([name, label]) => (
          <label key={name} class="tick">
            <input
              type="checkbox"
              checked={drawn.has(name)}
              onChange={(event) => draw(name, event.currentTarget.checked)}
            />
            {label}
          </label>
        ))}
      </fieldset>
      <button class="primary" disabled={isBusy.value}>
        {isBusy.value ? 'Working…' : 'Render'}
      </button>
    </form>
  );
}

function CutLists() {
  const hasFilm = selection.value?.film !== null;
  const [of, setOf] = useState(hasFilm ? 'film' : 'all');
  const [format, setFormat] = useState<CutListRequest['format']>('fcpxml');
  const [rate, setRate] = useState('');
  const [handles, setHandles] = useState(0);
  const [notes, setNotes] = useState<readonly string[] | null>(null);
  const download = async (): Promise<void> => {
    try {
      const wanted = of === 'film' || of === 'all' ? of : { video: of.slice('video:'.length) };
      const body = { of: wanted, format, rate: rate === '' ? null : rate, handles } as CutListRequest;
      const list = await ask('cutList', { body });
      offer(list.name, list.text);
      setNotes([`Downloaded ${list.name}.`, ...list.notes]);
    } catch (error) {
      showError(error);
    }
  };
  return (
    <form
      class="sheet"
      aria-labelledby="lists-title"
      onSubmit={(event) => {
        event.preventDefault();
        void download();
      }}
    >
      <h2 id="lists-title">Cut lists</h2>
      <p>The current selection, for your editing system. No need to render first.</p>
      <label class="field">
        <span>Content</span>
        <select value={of} onChange={(event) => setOf(event.currentTarget.value)}>
          {hasFilm && <option value="film">Film of the topic</option>}
          <option value="all">All summaries, one after another</option>
          {videos.value.map(({ id, name }) => (
            <option key={id} value={`video:${id}`}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Format</span>
        <select value={format} onChange={(event) => setFormat(event.currentTarget.value as CutListRequest['format'])}>
          {Object.entries(FORMATS).map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Frame rate</span>
        <select value={rate} onChange={(event) => setRate(event.currentTarget.value)}>
          <option value="">Same as the source</option>
          {topic.value?.rates.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Handles (frames)</span>
        <input
          type="number"
          min={0}
          max={10_000}
          value={handles}
          onInput={(event) => setHandles(Math.max(0, Math.round(Number(event.currentTarget.value) || 0)))}
        />
      </label>
      <button class="primary">Download</button>
      {notes && (
        <div class="notes" role="status">
          {notes.map((note) => (
            <p key={note}>{note}</p>
          ))}
        </div>
      )}
    </form>
  );
}

/** Hands a text to the browser as a file to keep. */
function offer(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text]));
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

function Files() {
  const [files, setFiles] = useState<readonly ResultFile[] | null>(null);
  const state = topic.value?.work.state;
  useEffect(() => {
    ask('listResults').then((found) => setFiles(found.files.toSorted(byUse)), showError);
  }, [state]);
  return (
    <section class="sheet" aria-labelledby="files-title">
      <h2 id="files-title">Files</h2>
      {files?.length === 0 && <p>Nothing rendered yet.</p>}
      {files && files.length > 1 && (
        <a class="button" href="/results.zip" download="results.zip">
          Download all ({countOf(files.length, 'file')}, {size(files.reduce((sum, { bytes }) => sum + bytes, 0))})
        </a>
      )}
      <ul class="files">
        {files?.map(({ name, bytes, href }) => (
          <li key={name}>
            <a href={href} target="_blank" rel="noreferrer">
              {name}
            </a>
            <span class="number">{size(bytes)}</span>
            <a class="button" href={href} download={name.split('/').at(-1)} aria-label={`Download ${name}`}>
              Download
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The address at which others watch and comment, if it was asked for. */
function ReviewLink() {
  const address = topic.value?.review ?? null;
  return (
    <section class="sheet" aria-labelledby="review-title">
      <h2 id="review-title">Review by others</h2>
      {address === null ? (
        <p>
          Others on this network can watch and comment if the studio is started with <code>--share</code>.
        </p>
      ) : (
        <>
          <p>Whoever has this address can watch the film, comment and rate, and change nothing else.</p>
          <p class="actions">
            <input type="text" readOnly aria-label="Address for reviewers" value={address} />
            <button onClick={() => void navigator.clipboard.writeText(address).then(() => say('Copied.'))}>Copy</button>
          </p>
        </>
      )}
    </section>
  );
}

/** What people look for first: the report, then the film of the topic. */
function byUse(a: ResultFile, b: ResultFile): number {
  const order = ({ name }: ResultFile): number => (name === 'report.html' ? 0 : name.startsWith('concept.') ? 1 : 2);
  return order(a) - order(b) || (a.name < b.name ? -1 : 1);
}

function size(bytes: number): string {
  if (bytes < 1e6) return `${Math.max(1, Math.round(bytes / 1e3))} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
}
