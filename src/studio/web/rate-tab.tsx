import { useEffect, useState } from 'preact/hooks';

import { usualFilm } from '../shared/usual-film.js';
import type { NewStudy, StudyFacts, StudyResults, StudyRow } from '../study-contract.js';
import { ask } from './api.js';
import { MethodBoxes } from './compare.js';
import { showError, titleOf, topic, videos } from './state.js';

/** The studies of the topic: open one, see how far its raters are, end it, read its table. */
export function Rate() {
  const [studies, setStudies] = useState<readonly StudyFacts[]>([]);
  const load = (): void => void ask('readStudies').then((found) => setStudies(found.studies.toReversed()), showError);
  useEffect(() => {
    load();
    // A rater may have been at work in another tab.
    window.addEventListener('focus', load);
    return () => window.removeEventListener('focus', load);
  }, []);
  return (
    <div class="rate">
      <StudyForm onOpened={load} isFirst={studies.length === 0} />
      {studies.map((study) => (
        <StudyCard key={study.id} study={study} onEnded={load} />
      ))}
    </div>
  );
}

function StudyCard({ study, onEnded }: { readonly study: StudyFacts; readonly onEnded: () => void }) {
  const [results, setResults] = useState<StudyResults | null>(null);
  const { id, ended } = study;
  useEffect(() => {
    if (ended) void ask('readResults', { parameters: { study: id } }).then(setResults, showError);
  }, [id, ended]);
  return (
    <section class="card" aria-label={`Study of ${study.keyWord}`}>
      <header>
        <h2>
          {study.keyWord}
          <small>
            A to {String.fromCharCode(64 + study.letters)} ·{' '}
            {study.subjects.length === 1 ? study.subjects[0] : `${study.subjects.length} films to rate`}
          </small>
        </h2>
        {ended ? (
          results && (
            <a class="button" href={results.csv} download>
              Export CSV
            </a>
          )
        ) : (
          <>
            <a class="button primary" href={`/?rate=${encodeURIComponent(id)}`}>
              Rate
            </a>
            <End study={study} onEnded={onEnded} />
          </>
        )}
      </header>
      <Raters study={study} />
      {results && <StudyTables results={results} />}
    </section>
  );
}

function Raters({ study: { raters } }: { readonly study: StudyFacts }) {
  if (raters.length === 0) return <p>No ratings yet. “Rate” opens the page for raters, one after another.</p>;
  return (
    <ul class="raters" aria-label="Raters">
      {raters.map(({ name, marked, wanted, finished }) => (
        <li key={name}>
          {name} <span>{finished ? 'handed in' : `${marked} of ${wanted}`}</span>
        </li>
      ))}
    </ul>
  );
}

/** Asks once more: what an end shows cannot be hidden again. */
function End({ study, onEnded }: { readonly study: StudyFacts; readonly onEnded: () => void }) {
  const [isSure, setSure] = useState(false);
  const waiting = study.raters.filter(({ finished }) => !finished).length;
  if (!isSure) return <button onClick={() => setSure(true)}>End…</button>;
  return (
    <span class="sure" role="group" aria-label="End the study">
      {waiting > 0 && (
        <span>
          {waiting} {waiting === 1 ? 'rater has' : 'raters have'} not handed in and will not count.
        </span>
      )}
      <button
        class="primary"
        onClick={() => void ask('endStudy', { parameters: { study: study.id } }).then(onEnded, showError)}
      >
        End and show the methods
      </button>
      <button onClick={() => setSure(false)}>Keep open</button>
    </span>
  );
}

/** The seven methods of the paper's user study. */
const PAPER: NewStudy['methods'] = ['cvs', 'kmeans', 'spectral', 'smrs', 'livelight', 'cocluster', 'cosum'];

/** Opens a study: the key word, what is rated, the methods. */
function StudyForm({ onOpened, isFirst }: { readonly onOpened: () => void; readonly isFirst: boolean }) {
  const footage = videos.value.reduce((sum, { seconds }) => sum + seconds, 0);
  const [keyWord, setKeyWord] = useState(wordsOf(topic.value?.name ?? ''));
  const [film, setFilm] = useState({ isWanted: true, length: usualFilm(footage) });
  const [summaries, setSummaries] = useState({ isWanted: false, length: '15%' });
  const [methods, setMethods] = useState(PAPER);
  const [isBusy, setBusy] = useState(false);
  const wanted = (one: typeof film): string | null => (one.isWanted ? one.length : null);
  const open = async (): Promise<void> => {
    setBusy(true);
    try {
      const body = { keyWord, methods, film: wanted(film), summaries: wanted(summaries) };
      await ask('openStudy', { body });
      onOpened();
    } catch (error) {
      showError(error);
    }
    setBusy(false);
  };
  const isReady = keyWord.trim() !== '' && methods.length > 1 && (film.isWanted || summaries.isWanted);
  return (
    <details class="card" open={isFirst}>
      <summary>New study</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void open();
        }}
      >
        <p>
          Raters see the key word and one summary per method, labelled with letters in a random order, and mark each
          from 1 to 10. The methods are revealed when you end the study.
        </p>
        <label class="field">
          Key word
          <input value={keyWord} onInput={(event) => setKeyWord(event.currentTarget.value)} maxLength={200} required />
        </label>
        <fieldset>
          <legend>What to rate</legend>
          <Part label="The film of the topic" value={film} onChange={setFilm} />
          <Part label="The summary of every video" value={summaries} onChange={setSummaries} />
        </fieldset>
        <MethodBoxes wanted={methods} onChange={setMethods} remark={(name) => (name === 'random' ? 'control' : null)} />
        <button class="primary" disabled={!isReady || isBusy}>
          {isBusy ? 'Making the summaries…' : 'Open the study'}
        </button>
      </form>
    </details>
  );
}

type PartValue = { readonly isWanted: boolean; readonly length: string };

function Part(props: {
  readonly label: string;
  readonly value: PartValue;
  readonly onChange: (value: PartValue) => void;
}) {
  const { label, value, onChange } = props;
  return (
    <span class="part">
      <label>
        <input
          type="checkbox"
          checked={value.isWanted}
          onChange={(event) => onChange({ ...value, isWanted: event.currentTarget.checked })}
        />
        {label}
      </label>
      <input
        aria-label={`Length of ${label.toLowerCase()}`}
        title="A share (15%), a time (30s) or a number of shots (12 shots)"
        value={value.length}
        disabled={!value.isWanted}
        required
        onInput={(event) => onChange({ ...value, length: event.currentTarget.value })}
      />
    </span>
  );
}

/** `eiffel-tower-topic` is the folder of the topic "eiffel tower". */
function wordsOf(folder: string): string {
  return titleOf(folder).replaceAll(/[-_]+/g, ' ');
}

const NAMES = { film: 'The film of the topic', video: 'The summary of every video' } as const;

/** What a study came to: a table for the film of the topic, one for the summaries. */
function StudyTables({ results }: { readonly results: StudyResults }) {
  const { raters, unfinished } = results;
  return (
    <>
      <p>
        {raters} {raters === 1 ? 'rater' : 'raters'} handed in
        {unfinished > 0 && `; ${unfinished} did not, and ${unfinished === 1 ? 'is' : 'are'} not counted`}.
      </p>
      {results.tables.map(({ kind, length, subjects, rows }) => (
        <Table
          key={kind}
          rows={rows}
          caption={`${NAMES[kind]}, ${length}${subjects > 1 ? `, ${subjects} videos` : ''}`}
        />
      ))}
    </>
  );
}

const two = (value: number | null): string => (value === null ? '–' : value.toFixed(2).replace('-', '−'));

function Table({ rows, caption }: { readonly rows: readonly StudyRow[]; readonly caption: string }) {
  const sorted = rows.toSorted((a, b) => (b.mean ?? 0) - (a.mean ?? 0));
  const first = rows.find(({ lead }) => lead === null)?.method ?? '';
  const hasTests = rows.some(({ lead }) => lead !== null);
  return (
    <div class="table">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Method</th>
            <th scope="col">Mean</th>
            <th scope="col">1 to 10</th>
            <th scope="col">95 % interval</th>
            <th scope="col">Deviation</th>
            <th scope="col">Marks</th>
            {hasTests && <th scope="col">{first} leads by</th>}
            {hasTests && <th scope="col">p</th>}
          </tr>
        </thead>
        <tbody>
          {sorted.map(({ method, mean, interval, deviation, marks, lead }) => (
            <tr key={method}>
              <th scope="row">{method}</th>
              <td>
                <strong>{two(mean)}</strong>
              </td>
              <td>
                <Whiskers mean={mean} interval={interval} />
              </td>
              <td>{interval ? `${two(interval.low)} to ${two(interval.high)}` : '–'}</td>
              <td>{two(deviation)}</td>
              <td>{marks}</td>
              {hasTests && <td>{lead ? signed(lead.mean) : ''}</td>}
              {hasTests && <td>{lead ? chance(lead.p) : ''}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="fine">
        Interval: Student’s t over the raters’ own means. Deviation: of the marks.
        {hasTests && ' p: paired t-test over raters, two-sided, not corrected for the number of methods.'}
      </p>
    </div>
  );
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${two(value)}`;
}

function chance(p: number): string {
  return p < 0.001 ? '< 0.001' : p.toFixed(3);
}

/** Mean and interval on the scale of the marks; what reaches beyond the scale is cut off there. */
function Whiskers({ mean, interval }: Pick<StudyRow, 'mean' | 'interval'>) {
  if (mean === null) return null;
  const x = (mark: number): number => 5 + (Math.min(10, Math.max(1, mark)) - 1) * 10;
  return (
    <svg class="whiskers" viewBox="0 0 100 14" width={150} height={21} aria-hidden="true">
      <line x1={5} x2={95} y1={7} y2={7} class="axis" />
      {interval && <line x1={x(interval.low)} x2={x(interval.high)} y1={7} y2={7} class="range" />}
      <circle cx={x(mean)} cy={7} r={3} />
    </svg>
  );
}
