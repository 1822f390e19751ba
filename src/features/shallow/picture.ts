/** One value a pixel, rows from the top: pixel (x, y) is `data[y * widthPx + x]`. */
export type GrayPicture = { readonly widthPx: number; readonly heightPx: number; readonly data: Uint8Array };

/** Three bytes a pixel, red first, rows from the top. */
export type RgbPicture = { readonly widthPx: number; readonly heightPx: number; readonly data: Uint8Array };

/** Luma of ITU-R BT.601 in whole numbers: 0.299 R + 0.587 G + 0.114 B in 256ths, rounded. */
export function grayOf({ widthPx, heightPx, data }: RgbPicture): GrayPicture {
  const luma = new Uint8Array(widthPx * heightPx);
  for (let pixel = 0, k = 0; pixel < luma.length; pixel++, k += 3) {
    luma[pixel] = (77 * data[k]! + 150 * data[k + 1]! + 29 * data[k + 2]! + 128) >> 8;
  }
  return { widthPx, heightPx, data: luma };
}
