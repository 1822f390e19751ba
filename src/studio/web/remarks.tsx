import type { Remark } from '../contract.js';

const BADGES: Readonly<Record<Remark['kind'], string>> = { stray: 'Stray', double: 'Double', damaged: 'Damaged' };

/** What a reader should know of a video: a badge for the eye, and the evidence beside it. */
export function Remarks({ remarks }: { readonly remarks: readonly Remark[] }) {
  if (remarks.length === 0) return null;
  return (
    <ul class="remarks-of">
      {remarks.map(({ kind, sentence }) => (
        <li key={kind}>
          <strong class={`badge ${kind}`}>{BADGES[kind]}</strong> {sentence}
        </li>
      ))}
    </ul>
  );
}
