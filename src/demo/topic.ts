import { z } from 'zod';
import { type Rational, rational } from '../base/index.js';
import type { Grade } from './canvas.js';
import type { SceneName } from './scenes/index.js';
import type { Aim, Move } from './stage.js';

/** What can be wrong with the pictures of a drawn take, in the words of the flaws that a summary refuses. */
const DEFECTS = ['black', 'bars', 'blurred', 'shaken', 'frozen', 'exposed'] as const;
export type Defect = (typeof DEFECTS)[number];

/** The drawn topic. The same record, without `folder`, is written as `truth.json` beside the videos. */
export type DemoTopic = {
  readonly schema: 'demo-truth.1';
  /** Version of the drawing itself. */
  readonly drawing: number;
  readonly title: string;
  readonly folder: string;
  /** The scenes of the topic and who filmed them, most filmed first: what a summary of the topic should show. */
  readonly subjects: readonly {
    readonly name: string;
    /** `shared`: filmed by several people; `private`: by one; `filler`: by mistake, worth nobody's time. */
    readonly kind: 'shared' | 'private' | 'filler';
    readonly videos: readonly string[];
  }[];
  readonly videos: readonly {
    readonly file: string;
    readonly widthPx: number;
    readonly heightPx: number;
    readonly frameRate: Rational;
    readonly frameCount: number;
    /** Each is the frames `[startFrame, endFrame)`. */
    readonly scenes: readonly {
      readonly name: string;
      readonly kind: 'shared' | 'private' | 'filler';
      readonly startFrame: number;
      readonly endFrame: number;
      /** How it begins: a cut at `startFrame`, or a dissolve of so many frames centred on it. */
      readonly dissolveFrames: number;
      /** Files of the other videos that show the same place. */
      readonly alsoIn: readonly string[];
      /** What is wrong with its pictures, if anything is: then it is filler, wherever it was filmed. */
      readonly defect?: (typeof DEFECTS)[number];
    }[];
  }[];
};

/** A scene of the topic, and who filmed it. */
export type DemoSubject = DemoTopic['subjects'][number];
/** Whether a scene was filmed by several people, by one, or by mistake. */
export type SceneKind = DemoSubject['kind'];
/** One drawn video and what is in it. */
export type DemoVideo = DemoTopic['videos'][number];
/** One scene of one video. */
export type DemoScene = DemoVideo['scenes'][number];

const count = z.int().nonnegative();
const kind = z
  .enum(['shared', 'private', 'filler'])
  .describe('Filmed by several people, by one, or by mistake and worth nobody’s time');

/** What `truth.json` holds, schema `demo-truth.1`: which scene of which video is where, and who else filmed it. */
export const demoTruth: z.ZodType<Omit<DemoTopic, 'folder'>> = z.strictObject({
  schema: z.literal('demo-truth.1'),
  drawing: z.int().positive().describe('Version of the drawing itself'),
  title: z.string(),
  subjects: z
    .array(z.strictObject({ name: z.string(), kind, videos: z.array(z.string()).describe('Files that show it') }))
    .describe('The scenes of the topic, most filmed first'),
  videos: z.array(
    z.strictObject({
      file: z.string(),
      widthPx: z.int().positive(),
      heightPx: z.int().positive(),
      frameRate: z
        .strictObject({ num: z.int().positive(), den: z.int().positive() })
        .describe('Frames per second, as a fraction'),
      frameCount: z.int().positive(),
      scenes: z.array(
        z.strictObject({
          name: z.string(),
          kind,
          startFrame: count.describe('First frame of the scene'),
          endFrame: z.int().positive().describe('First frame after it'),
          dissolveFrames: count.describe('0 for a cut at startFrame; otherwise the length of a dissolve centred on it'),
          alsoIn: z.array(z.string()).describe('Files of the other videos that show the same place'),
          defect: z.enum(DEFECTS).optional().describe('What is wrong with its pictures: it must not be in a summary'),
        }),
      ),
    }),
  ),
});

/** One shot of a video: the scene, its length in frames, the move of the camera, and the time of the scene. */
export type Take = {
  readonly scene: SceneName;
  readonly frames: number;
  readonly move: Move;
  /** Start on the scene's clock, in seconds; no two takes of a scene overlap. */
  readonly clock: number;
  /** Frames of a dissolve from the take before, centred on the first frame; 0 is a cut. */
  readonly dissolve: number;
  /** What is wrong with its pictures. */
  readonly defect?: Defect;
};

/** One person's film: their camera and what they pointed it at. */
export type Film = {
  readonly file: string;
  readonly seed: number;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly frameRate: Rational;
  readonly grade: Grade;
  readonly takes: readonly Take[];
};

/** The title of the topic. */
export const TITLE = 'A harbour town and its festival';

const plain: Grade = { exposure: 1, contrast: 1.04, saturation: 1.06, warmth: 0, vignette: 0.32, grain: 1.3 };
const aim = (x: number, y: number, height: number): Aim => ({ x, y, height });

function take(scene: SceneName, frames: number, clock: number, from: Aim, to: Aim, shake = 2.2, dissolve = 0): Take {
  return { scene, frames, clock, move: { from, to, shake }, dissolve };
}

/** A take whose pictures are bad. */
function spoiled(defect: Defect, ...of: Parameters<typeof take>): Take {
  return { ...take(...of), defect };
}

function film(
  file: string,
  seed: number,
  [widthPx, heightPx]: readonly [number, number],
  frameRate: Rational,
  grade: Partial<Grade>,
  takes: readonly Take[],
): Film {
  return { file, seed, widthPx, heightPx, frameRate, grade: { ...plain, ...grade }, takes };
}

/** Seven people, one weekend. Scenes that several of them filmed are what the topic is about; the seventh's camera has defects. */
export const films: readonly Film[] = [
  film('aiko.mp4', 1, [640, 360], rational(25, 1), {}, [
    take('harbour', 79, 20, aim(700, 430, 720), aim(1000, 440, 600)),
    take('market', 76, 5, aim(560, 470, 760), aim(900, 500, 660)),
    take('pavement', 60, 0, aim(500, 400, 520), aim(1000, 560, 470), 14),
    take('tulips', 72, 3, aim(900, 470, 840), aim(1000, 420, 640)),
    take('fair', 77, 8, aim(800, 460, 860), aim(800, 420, 700)),
    take('fireworks', 83, 31, aim(800, 430, 860), aim(800, 400, 760)),
  ]),
  film('bruno.mp4', 2, [512, 288], rational(25, 1), { exposure: 1.09, saturation: 0.92, warmth: 4 }, [
    take('lighthouse', 77, 40, aim(760, 450, 840), aim(1000, 400, 700)),
    take('kitchen', 74, 2, aim(640, 420, 760), aim(900, 520, 600)),
    take('market', 81, 44, aim(1040, 470, 800), aim(820, 520, 640), 3),
    take('wall', 57, 0, aim(700, 430, 560), aim(900, 470, 520), 9),
    take('harbour', 76, 33, aim(900, 450, 820), aim(760, 430, 680), 3),
    take('fireworks', 79, 64, aim(700, 400, 740), aim(900, 420, 820), 3),
  ]),
  film(
    'carla.mp4',
    3,
    [640, 360],
    rational(30_000, 1001),
    { exposure: 0.95, contrast: 1.1, saturation: 1.18, warmth: -2 },
    [
      take('balloons', 83, 6, aim(700, 430, 840), aim(900, 400, 720), 1.5),
      take('lighthouse', 81, 71, aim(980, 400, 640), aim(820, 450, 800), 1.5),
      take('harbour', 83, 9, aim(1000, 440, 640), aim(820, 430, 780), 1.5, 12),
      take('aquarium', 79, 12, aim(760, 460, 760), aim(940, 480, 700), 1.5),
      take('fair', 83, 25, aim(760, 410, 640), aim(840, 450, 820), 1.5),
      take('fireworks', 83, 12, aim(900, 420, 840), aim(760, 380, 660), 1.5),
    ],
  ),
  film('dmitri.mp4', 4, [288, 512], rational(25, 1), { exposure: 1.04, saturation: 1.12, warmth: 2 }, [
    take('market', 81, 80, aim(640, 450, 880), aim(980, 470, 860), 3),
    take('rainy-window', 77, 4, aim(560, 470, 880), aim(760, 500, 840), 1.5),
    take('fair', 82, 52, aim(760, 440, 880), aim(860, 430, 840), 3),
    take('harbour', 79, 27, aim(1040, 450, 880), aim(900, 440, 860), 3),
    take('fireworks', 82, 95, aim(680, 430, 880), aim(920, 430, 880), 3),
  ]),
  film(
    'elif.mp4',
    5,
    [512, 288],
    rational(25, 1),
    { exposure: 0.92, contrast: 0.98, saturation: 0.86, warmth: -4, grain: 2 },
    [
      take('viaduct', 82, 3.2, aim(700, 440, 820), aim(920, 440, 740)),
      take('lighthouse', 72, 15, aim(900, 420, 760), aim(960, 430, 620)),
      take('market', 77, 62, aim(760, 500, 680), aim(620, 480, 800)),
      take('finger', 55, 0, aim(760, 450, 800), aim(820, 450, 760), 7),
      take('fair', 72, 70, aim(900, 470, 780), aim(760, 430, 820)),
      take('fireworks', 77, 47, aim(760, 420, 700), aim(840, 430, 860)),
    ],
  ),
  film(
    'femi.mp4',
    6,
    [512, 288],
    rational(25, 1),
    { exposure: 1.06, contrast: 1.08, saturation: 1.1, warmth: 6, vignette: 0.42 },
    [
      take('beach', 79, 7, aim(760, 480, 820), aim(860, 430, 680)),
      take('lighthouse', 79, 58, aim(860, 470, 860), aim(1040, 390, 600)),
      take('harbour', 82, 48, aim(820, 440, 860), aim(1060, 440, 700)),
      take('market', 72, 101, aim(900, 480, 720), aim(1060, 520, 640)),
      take('fair', 81, 90, aim(780, 430, 720), aim(820, 450, 860)),
    ],
  ),
  film('gus.mp4', 7, [512, 288], rational(25, 1), { exposure: 1.02, saturation: 1.04, warmth: 1 }, [
    spoiled('bars', 'wall', 50, 0, aim(700, 430, 560), aim(900, 470, 520)),
    take('harbour', 77, 70, aim(760, 440, 760), aim(980, 430, 700)),
    spoiled('black', 'market', 52, 20, aim(700, 470, 760), aim(820, 480, 700)),
    take('market', 79, 130, aim(980, 480, 700), aim(700, 470, 780)),
    spoiled('shaken', 'fair', 60, 30, aim(800, 440, 660), aim(820, 430, 640)),
    spoiled('blurred', 'lighthouse', 60, 90, aim(900, 440, 760), aim(960, 420, 700)),
    take('fair', 80, 120, aim(820, 430, 840), aim(780, 450, 720)),
    spoiled('frozen', 'fireworks', 80, 20, aim(700, 420, 860), aim(900, 420, 760)),
    spoiled('exposed', 'lighthouse', 55, 110, aim(860, 450, 820), aim(940, 430, 760)),
    take('fireworks', 80, 112, aim(820, 420, 760), aim(760, 400, 860)),
  ]),
];
