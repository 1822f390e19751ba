import { useEffect, useLayoutEffect, useState } from 'preact/hooks';

import type { Ballot } from '../study-contract.js';
import { ask, Refusal } from './api.js';
import { ReelPlayer } from './reel-player.js';

const MARKS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] as const;

/** The page of one rater: the key word, summaries by letter, marks. It asks the server for nothing but the ballot. */
export function RatePage({ study, rater }: { readonly study: string; readonly rater: string | null }) {
  const [ballot, setBallot] = useState<Ballot | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const take = (asked: Promise<Ballot>): Promise<void> =>
    asked.then(
      (found) => {
        setBallot(found);
        setProblem(null);
        const address = new URLSearchParams({ rate: found.study, rater: found.rater });
        history.replaceState(null, '', `?${address}`);
      },
      (error: unknown) => setProblem(error instanceof Refusal ? error.message : String(error)),
    );
  useEffect(() => {
    if (rater !== null) void take(ask('readBallot', { parameters: { study, rater } }));
  }, []);
  return (
    <main class="rating">
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {ballot === null ? (
        <Welcome onName={(name) => void take(ask('joinStudy', { parameters: { study }, body: { name } }))} />
      ) : ballot.finished || ballot.ended ? (
        <Thanks ballot={ballot} />
      ) : (
        <Marking ballot={ballot} take={take} />
      )}
    </main>
  );
}

function Welcome({ onName }: { readonly onName: (name: string) => void }) {
  const [name, setName] = useState('');
  return (
    <form
      class="welcome"
      onSubmit={(event) => {
        event.preventDefault();
        onName(name);
      }}
    >
      <h1>Rate summaries</h1>
      <p>
        You will see a key word and several summaries made in different ways, in an order drawn for you. Mark each for
        its overall quality. To continue later, enter the same name.
      </p>
      <label>
        Your name or number
        <input
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
          required
          maxLength={80}
          autocomplete="off"
        />
      </label>
      <button class="primary" disabled={name.trim() === ''}>
        Start
      </button>
    </form>
  );
}

function Thanks({ ballot }: { readonly ballot: Ballot }) {
  return (
    <section class="welcome">
      <h1>{ballot.finished ? `Thank you, ${ballot.name}` : 'This study has ended'}</h1>
      <p>
        {ballot.finished
          ? 'Your marks were handed in. The methods behind the letters are revealed when the study ends.'
          : 'It no longer accepts marks.'}
      </p>
      <a class="button" href="/">
        Back to the studio
      </a>
    </section>
  );
}

type Take = (asked: Promise<Ballot>) => Promise<void>;

function Marking({ ballot, take }: { readonly ballot: Ballot; readonly take: Take }) {
  const cells = ballot.subjects.flatMap(({ summaries }, subject) => summaries.map((_, at) => ({ subject, at })));
  const [place, setPlace] = useState(() =>
    Math.max(
      0,
      cells.findIndex(({ subject, at }) => ballot.subjects[subject]!.summaries[at]!.mark === null),
    ),
  );
  const { subject, at } = cells[place]!;
  const { title, summaries } = ballot.subjects[subject]!;
  const { letter, clips, mark } = summaries[at]!;
  const parameters = { study: ballot.study, rater: ballot.rater };
  const marked = ballot.subjects.flatMap((each) => each.summaries).filter((summary) => summary.mark !== null).length;
  const give = (value: number): Promise<void> =>
    take(ask('mark', { parameters, body: { subject, letter, mark: value } }));
  const go = (step: number): void => setPlace(Math.min(cells.length - 1, Math.max(0, place + step)));
  // Before the next key can come: a mark must go to the summary that is shown.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const inField = (event.target as HTMLElement).matches('input');
      if (/^\d$/.test(event.key)) void give(event.key === '0' ? 10 : Number(event.key));
      else if (!inField && event.key === 'ArrowRight') go(1);
      else if (!inField && event.key === 'ArrowLeft') go(-1);
      else if (event.key === ' ' && !(event.target as HTMLElement).matches('button, a, input'))
        document.getElementById('play')?.click();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });
  return (
    <>
      <header>
        <p class="who">{ballot.name}, the key word is</p>
        <h1>{ballot.keyWord}</h1>
        <p>Rate the overall quality of each summary, from 1 (worst) to 10 (best).</p>
      </header>
      <h2>
        {title}
        {ballot.subjects.length > 1 && (
          <small>
            {subject + 1} of {ballot.subjects.length}
          </small>
        )}
      </h2>
      <nav class="letters" aria-label="Summaries">
        {summaries.map((each, index) => (
          <button
            key={each.letter}
            aria-current={index === at ? 'true' : undefined}
            aria-label={`${each.letter} ${each.mark ?? '–'}: summary ${each.letter}, ${each.mark === null ? 'no mark yet' : 'marked'}`}
            onClick={() => setPlace(place - at + index)}
          >
            <b>{each.letter}</b> <span>{each.mark ?? '–'}</span>
          </button>
        ))}
      </nav>
      <ReelPlayer
        key={`${subject}-${letter}`}
        stretches={clips}
        onPlace={() => undefined}
        nameOf={() => 'one of the videos'}
      />
      <fieldset class="marks">
        <legend>Mark for summary {letter}</legend>
        <span>worst</span>
        {MARKS.map((value) => (
          <label key={value}>
            <input
              type="radio"
              name={`mark-${subject}-${letter}`}
              checked={mark === value}
              onChange={() => void give(value)}
            />
            <span>{value}</span>
          </label>
        ))}
        <span>best</span>
      </fieldset>
      <footer>
        <button disabled={place === 0} onClick={() => go(-1)}>
          Back
        </button>
        <button class={mark === null ? '' : 'primary'} disabled={place === cells.length - 1} onClick={() => go(1)}>
          Next
        </button>
        <p role="status">
          {marked} of {cells.length} marked
        </p>
        <button
          class={marked === cells.length ? 'primary' : ''}
          disabled={marked < cells.length}
          onClick={() => void take(ask('finishRating', { parameters }))}
        >
          Hand in
        </button>
      </footer>
      <p class="keys">
        <kbd>1</kbd>–<kbd>9</kbd>, <kbd>0</kbd> mark (0 is 10) · <kbd>←</kbd> <kbd>→</kbd> summary · <kbd>Space</kbd>{' '}
        play. Marks are saved at once; you can change them until you hand in.
      </p>
    </>
  );
}
