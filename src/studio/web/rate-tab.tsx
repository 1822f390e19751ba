import { useEffect, useState } from 'preact/hooks';

import type { StudyFacts, StudyResults } from '../study-contract.js';
import { ask } from './api.js';
import { StudyForm } from './study-form.js';
import { StudyTables } from './study-tables.js';
import { showError } from './state.js';

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
