import { useState } from 'preact/hooks';

import type { NewStudy } from '../study-contract.js';
import { usualFilm } from '../shared/usual-film.js';
import { ask } from './api.js';
import { MethodBoxes } from './method-boxes.js';
import { showError, titleOf, topic, videos } from './state.js';

/** The seven methods of the paper's user study. */
const PAPER: NewStudy['methods'] = ['cvs', 'kmeans', 'spectral', 'smrs', 'livelight', 'cocluster', 'cosum'];

/** Opens a study: the key word, what is rated, the methods. */
export function StudyForm({ onOpened, isFirst }: { readonly onOpened: () => void; readonly isFirst: boolean }) {
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
