import { CancelledError } from '../../base/index.js';
import { plainPicture, type PictureSize } from '../blend.js';
import { tagColours } from '../colour.js';
import type { Colour } from '../types.js';
import { writeTo } from '../pour.js';
import { X264_THREADS } from '../film-encoder.js';
import { pipeInput, startFfmpeg } from '../process.js';
import { NAL, nalType, parameterSets, splitUnits, type ParameterSets } from './nal.js';

/** How the pictures next to copied ones are encoded, so that both play in one track. */
export type EdgeStyle = PictureSize & {
  readonly sampleAspect: { readonly num: number; readonly den: number };
  readonly colour: Colour;
  readonly framesASecond: number;
  readonly profile: string;
  /** Number of the parameter sets; the source must not use it. */
  readonly setId: number;
};

/** Encodes raw pictures in the order given; each becomes the units of one stored picture that needs no later one. */
export async function* encodeEdges(
  frames: AsyncIterable<{ pixels: Uint8Array; ticks: number }>,
  style: EdgeStyle,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ ticks: number; units: Buffer[] }> {
  const running = await startFfmpeg(edgeArguments(style), { stdin: true, signal });
  const ticks: number[] = [];
  const sink = running.input(0);
  const poured = (async () => {
    for await (const frame of frames) {
      ticks.push(frame.ticks);
      await writeTo(sink, frame.pixels);
    }
  })().finally(() => sink.end());
  poured.catch(() => running.kill());
  try {
    let held: Buffer = Buffer.alloc(0);
    let given = 0;
    const unitsOf = (picture: Buffer): { ticks: number; units: Buffer[] } => ({
      ticks: ticks[given++]!,
      units: splitUnits(picture).filter((unit) => nalType(unit) !== NAL.delimiter),
    });
    for await (const chunk of running.output(1) as AsyncIterable<Buffer>) {
      held = Buffer.concat([held, chunk]);
      // A picture is whole when the delimiter of the next one is here.
      for (let next; (next = held.indexOf(DELIMITER, DELIMITER.length)) >= 0; held = held.subarray(next)) {
        yield unitsOf(held.subarray(0, next));
      }
    }
    await poured;
    if (held.length > 0) yield unitsOf(held);
    if (signal?.aborted) throw new CancelledError();
  } finally {
    running.kill();
    await poured.catch(() => undefined);
  }
}

/** The parameter sets that edges of this style will have. */
export async function edgeSets(style: EdgeStyle, signal: AbortSignal | undefined): Promise<ParameterSets> {
  async function* one(): AsyncGenerator<{ pixels: Uint8Array; ticks: number }> {
    yield { pixels: plainPicture(style, 16), ticks: 0 };
  }
  for await (const { units } of encodeEdges(one(), style, signal)) return parameterSets(units);
  return { sps: [], pps: [] };
}

const DELIMITER = Buffer.from([0, 0, 0, 1, NAL.delimiter]);

function edgeArguments(style: EdgeStyle): string[] {
  const { colour, sampleAspect } = style;
  return [
    ...['-loglevel', 'error', '-pix_fmt', 'yuv420p', '-s', `${style.widthPx}x${style.heightPx}`],
    ...['-framerate', style.framesASecond.toFixed(3), ...pipeInput('rawvideo', 0)],
    ...['-vf', `setsar=${sampleAspect.num}/${sampleAspect.den},${tagColours(colour)}`],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '18', '-profile:v', style.profile],
    ...['-x264-params', `bframes=0:aud=1:sps-id=${style.setId}`, ...X264_THREADS],
    ...['-flags:v', '+bitexact', '-f', 'h264', 'pipe:1'],
  ];
}
