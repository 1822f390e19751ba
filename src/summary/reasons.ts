import { toSeconds } from '../base/index.js';
import type { Shown, SummaryShot, VideoSummary } from './document.js';

/** What a reason is made from: facts of the record, each of which can be recomputed. */
export type ReasonFacts = Pick<SummaryShot, 'evidence' | 'pinned' | 'vetoed'> & {
  readonly shown?: Shown | undefined;
  readonly flaws?: readonly { readonly kind: string }[] | undefined;
  /** No shot of its video has more evidence. */
  readonly isStrongest?: boolean | undefined;
  /** It begins where the shot before it in the film ends, in the same video. */
  readonly continues?: boolean | undefined;
  readonly twin?: { readonly video: string; readonly shot: number } | undefined;
};

/** What a sentence needs to know besides: the method that chose, and the names of videos by their ids. */
export type ReasonNames = { readonly method: string; nameOf(video: string): string };

/** From this many standard deviations a term is named. At most half of a video can lie so far out, so "most" is true. */
const NAMED_FROM = 1;
/** Counterparts named in a sentence. */
const NAMED = 2;

/** Why a shot is in a film, for instance "Five of the seven other videos show this: the closest are a.mp4 and b.mp4." */
export function reasonFor(facts: ReasonFacts, { method, nameOf }: ReasonNames): string {
  const { evidence, shown, pinned, isStrongest = false, continues = false } = facts;
  const isAlone = shown !== undefined && shown.others > 0 && shown.by.length + (shown.kin?.length ?? 0) === 0;
  const terms = strongest(evidence, isAlone);
  const sentences = [
    ...(pinned ? ['Asked for by a wish.'] : []),
    ...(continues ? ['It goes on from the shot before.'] : []),
    ...(shown && shown.others > 0 && !continues ? [whoShows(shown, nameOf)] : []),
    ...terms,
    ...(isStrongest && terms.length === 0 ? ['It is the strongest shot of its video.'] : []),
  ];
  if (sentences.length > 0) return sentences.join(' ');
  if (evidence === null) return `Chosen by the method ${method}.`;
  return evidence.total > 0
    ? 'The evidence for it is above the average of its video.'
    : 'Nothing in its video has much evidence; a summary is never empty.';
}

/** The shots of other videos to show beside a shot: those that show the same, or else those that show something like it. */
export function counterpartsOf(shown: Shown | undefined): Shown['by'] {
  return shown === undefined || shown.by.length > 0 ? (shown?.by ?? []) : (shown.kin ?? []);
}

/** The same in a few words, for a caption: `in 5 of 7 other videos`; empty if there are none. */
export function shortReason({ pinned, shown }: Pick<ReasonFacts, 'pinned' | 'shown'>): string {
  if (pinned) return 'asked for';
  if (!shown || shown.by.length === 0) return '';
  return shown.others === 1 ? 'in the other video' : `in ${shown.by.length} of ${shown.others} other videos`;
}

/** Why a shot is not in the summary of its video, for instance "Left out: the same view, shaken, 12 s later." */
export function reasonAgainst(
  facts: ReasonFacts & Pick<SummaryShot, 'index'>,
  video: Pick<VideoSummary, 'id' | 'shots'>,
  { method, nameOf }: ReasonNames,
): string {
  const { evidence, vetoed, flaws = [], twin } = facts;
  if (vetoed) return 'Left out: vetoed.';
  if (!video.shots.some((shot) => shot.chosen)) return 'Left out: its video is too short for a film of its own.';
  const wrong = sayFlaws(flaws);
  if (twin) return `Left out: ${['the same view', ...wrong, whereIs(twin, facts.index, video, nameOf)].join(', ')}.`;
  if (wrong.length > 0) return `Left out: ${wrong.join(', ')}.`;
  if (evidence === null) return `Left out by the method ${method}.`;
  const weak = (['strength', 'likeness', 'activity'] as const).filter((term) => (evidence[term] ?? 0) <= -NAMED_FROM);
  const weakest = weak.sort((a, b) => evidence[a]! - evidence[b]!)[0];
  if (weakest !== undefined) return `Left out: ${WEAK[weakest]}.`;
  const chosen = video.shots.filter((shot) => shot.chosen && !shot.pinned);
  const isWeaker = chosen.every((shot) => (shot.evidence?.total ?? 0) > evidence.total);
  return isWeaker && chosen.length > 0
    ? 'Left out: there is more evidence for every shot that was chosen.'
    : 'Left out: the length is used up by shots that together show more of the video.';
}

/** What is wrong with pictures, in the words of page, report and terminal. */
export function sayFlaws(flaws: readonly { readonly kind: string }[]): string[] {
  return flaws.map(({ kind }) => FLAWS[kind] ?? kind);
}

const FLAWS: Readonly<Record<string, string>> = {
  flat: 'nothing to see',
  bars: 'colour bars',
  slate: 'a slate',
  blurred: 'out of focus',
  exposed: 'badly exposed',
  text: 'a title',
  short: 'too short to see',
};

const STRONG: Readonly<Record<Term, string>> = {
  likeness: 'It is more like the other videos of the topic than most of its own video.',
  distinct: 'It stands out more than most of its video, and still fits in.',
  strength: 'There is more to see than in most of its video.',
  activity: 'More happens in it than in most of its video.',
};
/** The same as for `likeness`, where no other video shows the shot. */
const CLOSEST = 'Still, it is more like the other videos of the topic than most of its own video.';
const WEAK = {
  likeness: 'less like the other videos of the topic than most of its own video',
  strength: 'less to see than in most of its video',
  activity: 'less happens in it than in most of its video',
} as const;

type Term = 'likeness' | 'distinct' | 'strength' | 'activity';

/** The strongest term, as a sentence, if it stands out. */
function strongest(evidence: ReasonFacts['evidence'], isAlone: boolean): string[] {
  const terms =
    evidence === null ? [] : (Object.keys(STRONG) as Term[]).filter((term) => (evidence[term] ?? 0) >= NAMED_FROM);
  const best = terms.sort((a, b) => evidence![b]! - evidence![a]!)[0];
  if (best === undefined) return [];
  return [best === 'likeness' && isAlone ? CLOSEST : STRONG[best]];
}

function whoShows({ others, by, kin = [], own }: Shown, nameOf: (video: string) => string): string {
  if (by.length === 0 && kin.length > 0) {
    const videos = kin.length === 1 ? 'one other video shows' : `${word(kin.length)} other videos show`;
    const closest = kin.length === 1 ? '' : 'the closest is ';
    return `No other video shows just this; ${videos} something like it: ${closest}${nameOf(kin[0]!.video)}.`;
  }
  if (by.length === 0) return own === 0 ? 'Nothing else in the topic looks like this.' : 'No other video shows this.';
  const names = by.slice(0, NAMED).map(({ video }) => nameOf(video));
  const closest = names.length === 1 ? `the closest is ${names[0]}` : `the closest are ${names.join(' and ')}`;
  const all =
    others === 1 ? 'The other video shows' : `${others === 2 ? 'Both' : `All ${word(others)}`} other videos show`;
  if (by.length === others) return `${all} this${others <= NAMED ? '' : `: ${closest}`}.`;
  const verb = by.length === 1 ? 'shows' : 'show';
  const [first, ...rest] = word(by.length);
  return `${first!.toUpperCase()}${rest.join('')} of the ${word(others)} other videos ${verb} this: ${by.length <= NAMED ? names.join(' and ') : closest}.`;
}

/** Where a twin is: seconds away in the same video, or another video. */
function whereIs(
  twin: { readonly video: string; readonly shot: number },
  index: number,
  { id, shots }: Pick<VideoSummary, 'id' | 'shots'>,
  nameOf: (video: string) => string,
): string {
  if (twin.video !== id) return `in ${nameOf(twin.video)}`;
  const [own, other] = [shots[index]!.range, shots[twin.shot]!.range];
  const seconds = Math.round(Math.abs(toSeconds(own.start - other.start, own.base)));
  return `${seconds} s ${own.start > other.start ? 'later' : 'earlier'}`;
}

const WORDS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];

function word(count: number): string {
  return WORDS[count] ?? String(count);
}
