import h5wasm from 'h5wasm/node';

/** A video to write as TVSum has it: scores of frames, a line a person. */
export type WrittenVideo = {
  readonly id: string;
  readonly topic: string;
  readonly seconds: number;
  readonly people: readonly (readonly number[])[];
};

/** Scores of the annotated kind: people score pieces of two seconds, piece k begins at frame ⌊2·fps·k⌋ + 1, as in TVSum. */
export function frameScores(pieces: readonly number[], fps: number, frameCount: number): number[] {
  const pieceAt = (frame: number): number => Math.max(0, Math.ceil(frame / (2 * fps)) - 1);
  return Array.from({ length: frameCount }, (_, frame) => pieces[Math.min(pieceAt(frame), pieces.length - 1)]!);
}

/** `ydata-tvsum50.mat`: fields of a struct array as columns of references, texts as 16-bit codes. */
export async function writeTvsumMat(path: string, videos: readonly WrittenVideo[]): Promise<void> {
  await h5wasm.ready;
  const file = new h5wasm.File(path, 'w');
  const [table, cells] = [file.create_group('tvsum50'), file.create_group('#refs#')];
  const column = (
    name: string,
    make: (video: WrittenVideo) => { data: Float64Array | Uint16Array; shape: number[] },
  ) => {
    const references = videos.map((video, index) =>
      cells.create_dataset({ name: `${name}${index}`, ...make(video) }).create_reference(),
    );
    table.create_dataset({ name, data: references, shape: [videos.length, 1] });
  };
  const codes = (text: string) => ({
    data: Uint16Array.from(text, (char) => char.charCodeAt(0)),
    shape: [text.length, 1],
  });
  const number = (value: number) => ({ data: Float64Array.of(value), shape: [1, 1] });
  column('video', ({ id }) => codes(id));
  column('category', ({ topic }) => codes(topic));
  column('length', ({ seconds }) => number(seconds));
  column('nframes', ({ people }) => number(people[0]!.length));
  column('user_anno', ({ people }) => ({
    data: Float64Array.from(people.flat()),
    shape: [people.length, people[0]!.length],
  }));
  file.close();
}

/** The two tables, as text. */
export function tvsumTables(videos: readonly WrittenVideo[]): { scores: string; facts: string } {
  const clock = (seconds: number): string =>
    `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
  const scores = videos.flatMap(({ id, topic, people }) =>
    people.map((given) => `${id}\t${topic}\t${given.join(',')}`),
  );
  const facts = videos.map(({ id, topic, seconds }) => `${topic}\t${id}\tA title\thttps://…\t${clock(seconds)}`);
  return {
    scores: `${scores.join('\n')}\n`,
    facts: `category\tvideo_id\ttitle\turl\tlength\n${facts.join('\n')}\n`,
  };
}
