import type { Remark } from '../contract.js';

const BADGES: Readonly<Record<Remark['kind'], string>> = { stray: 'Stray', double: 'Double', damaged: 'Damaged' };

/** What a reader should know of a video: a badge for the eye, and the evidence beside it. */
export function Remarks({ remarks, isBrief }: { readonly remarks: readonly Remark[]; readonly isBrief?: boolean }) {
  if (remarks.length === 0) return null;
  if (isBrief) {
    return (
      <p class="remarks-of">
        {remarks.map(({ kind, sentence }) => (
          <strong key={kind} class={`badge ${kind}`} title={sentence}>
            {BADGES[kind]}
          </strong>
        ))}
      </p>
    );
  }
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
