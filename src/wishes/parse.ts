import { timeMoment, type ListedMoment } from '../shots/index.js';

type Moment = Extract<ListedMoment, { kind: 'time' }>;

/** A wish about one video: a shot by its number, counted from 1 as the report does, or a stretch of time. */
export type Wish = { readonly written: string; readonly file: string } & (
  | { readonly kind: 'shot'; readonly number: number }
  | { readonly kind: 'time'; readonly from: Moment; readonly to: Moment }
);

/** How a wish is written, for help and errors. */
export const WISH_FORM = 'FILE@FROM-TO, such as "paris.mp4@0:03-0:06.5", or FILE#SHOT, such as "paris.mp4#4"';

/** Parses a wish; `null` if it is none. A file name may contain "@" and "#": the last one counts. */
export function parseWish(written: string): Wish | null {
  const shot = /^(.+)#(\d+)$/s.exec(written);
  if (shot) {
    const number = Number(shot[2]);
    return Number.isSafeInteger(number) && number > 0 ? { kind: 'shot', written, file: shot[1]!, number } : null;
  }
  const time = /^(.+)@([\d:.]+)-([\d:.]+)$/s.exec(written);
  const [from, to] = [timeMoment(time?.[2] ?? ''), timeMoment(time?.[3] ?? '')];
  if (!time || !from || !to || !isBefore(from, to)) return null;
  return { kind: 'time', written, file: time[1]!, from, to };
}

/** Why a text is not a wish, if its form is right but its times are not; empty otherwise. */
export function flawOf(written: string): string {
  const time = /^.+@([\d:.]+)-([\d:.]+)$/s.exec(written);
  if (!time || parseWish(written) !== null) return '';
  const wrong = time.slice(1).find((each) => !timeMoment(each));
  return wrong === undefined ? ', whose end is not after its start' : `, in which "${wrong}" is not a time`;
}

/** Whether one moment is before another, exactly, with any number of decimals. */
export function isBefore(a: Moment, b: Moment): boolean {
  return a.digits * 10n ** BigInt(b.places) < b.digits * 10n ** BigInt(a.places);
}
