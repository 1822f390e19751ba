import sharp from 'sharp';

import { drawTopicSheet } from '../render/index.js';
import type { Selection } from '../studio/index.js';
import type { Desk } from './desks.js';

/** A picture that is sent in a message: small, and still readable. */
const WIDTH_PX = 960;
const QUALITY = 72;

/** A shot on a sheet. */
export type SheetShot = {
  /** Id and file name of its video. */
  readonly id: string;
  readonly video: string;
  /** From 0. */
  readonly index: number;
  readonly note: string;
  readonly score01: number;
};

/** A few shots on one sheet, as a JPEG. */
export async function drawContactSheet(
  title: string,
  facts: string,
  shots: readonly SheetShot[],
  { picture }: Pick<Desk, 'picture'>,
): Promise<Buffer> {
  const sheet = await drawTopicSheet({
    ...{ title, facts },
    cells: shots.map(({ id, video, index, note, score01 }) => ({
      label: `${video} #${index + 1}`,
      ...{ note, score01 },
      picture: async () => {
        const jpeg = await picture(id, index);
        return jpeg && Buffer.from(jpeg);
      },
    })),
  });
  return sharp(sheet).resize({ width: WIDTH_PX }).jpeg({ quality: QUALITY }).toBuffer();
}

type Video = Selection['videos'][number];

/** A shot of a video for a sheet. */
export function sheetShot({ id, name, shots }: Video, index: number, note: string): SheetShot {
  return { id, video: name, index, note, score01: shots[index]?.score ?? 0 };
}
