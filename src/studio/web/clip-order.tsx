import type { Video } from '../contract.js';
import { pictureOf } from './api.js';
import { Arrange } from './arrange.js';
import { edit, selectedShot, steering } from './state.js';
import { clock } from './time.js';

/** The clips of a video's film in the order they play, to be put into another one. */
export function ClipOrder({ video }: { readonly video: Video }) {
  const listed = steering.value?.sequence ?? [];
  const isOwn = (name: string): boolean => name.startsWith(`${video.name}#`);
  const move = (order: readonly number[]): void => {
    const shots = order.flatMap((at) => video.clips[at]!.shots);
    void edit({ do: 'order', of: video.name, shots: shots.map((shot) => `${video.name}#${shot + 1}`) });
  };
  const pieces = video.clips.map(({ from, to, shots }, at) => {
    const first = shots[0] ?? 0;
    return {
      ...{ key: String(from), name: `Clip from ${clock(from)}` },
      show: (
        <button
          tabIndex={at === 0 ? 0 : -1}
          aria-label={`${clock(from)} to ${clock(to)}: clip ${at + 1} of ${video.name}`}
          onClick={() => (selectedShot.value = { video: video.id, shot: first })}
        >
          <img src={pictureOf(video.id, first)} alt="" loading="lazy" width={96} height={54} />
          <span class="caption">{clock(from)}</span>
        </button>
      ),
    };
  });
  return (
    <div class="clip-order">
      <Arrange label={`Clips of ${video.name}, in the order they play`} pieces={pieces} onMove={move} />
      {listed.some(isOwn) && (
        <button
          onClick={() => void edit({ do: 'order', of: video.name, shots: [] })}
          title="Play the clips in the order they were filmed"
        >
          Reset order
        </button>
      )}
    </div>
  );
}
