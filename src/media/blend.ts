/** Size of a yuv420p picture; both sides even. */
export type PictureSize = { readonly widthPx: number; readonly heightPx: number };

/** Bytes of a yuv420p picture: one brightness per pixel, two colours per four pixels. */
export function pictureBytes({ widthPx, heightPx }: PictureSize): number {
  return (widthPx * heightPx * 3) / 2;
}

/** A drawing to lay over a picture: RGBA, not premultiplied; place and size in pixels of the picture, all even. */
export type Overlay = PictureSize & { readonly leftPx: number; readonly topPx: number; readonly rgba: Uint8Array };

/** One plane of an overlay: values, and how much they cover, 0 to 255. */
type Sheet = { readonly values: Uint8Array; readonly cover: Uint8Array; readonly width: number };

/** An overlay in the colours of a film, ready for `layOver`. */
export type PreparedOverlay = { readonly leftPx: number; readonly topPx: number; readonly sheets: readonly Sheet[] };

/** a·(1 − weight) + b·weight, rounded; weights are in 256ths, so that every machine rounds the same way. */
export function mixPictures(a: Uint8Array, b: Uint8Array, weight: number): Uint8Array {
  const share = Math.round(weight * 256);
  const mixed = Buffer.allocUnsafeSlow(a.length);
  for (let at = 0; at < a.length; at++) mixed[at] = (a[at]! * (256 - share) + b[at]! * share + 128) >> 8;
  return mixed;
}

/** A picture of one brightness (16 = black, 235 = white). */
export function plainPicture(size: PictureSize, luma: number): Uint8Array {
  const pixels = size.widthPx * size.heightPx;
  return Buffer.alloc(pictureBytes(size), 128).fill(luma, 0, pixels);
}

/** Converts a drawing to the colours of films: BT.709, limited range. */
export function prepareOverlay(overlay: Overlay): PreparedOverlay {
  const { widthPx: width, heightPx: height, rgba } = overlay;
  const sheet = (step: number, value: (red: number, green: number, blue: number) => number): Sheet => {
    const [across, down] = [width / step, height / step];
    const [values, cover] = [new Uint8Array(across * down), new Uint8Array(across * down)];
    for (let y = 0; y < down; y++) {
      for (let x = 0; x < across; x++) {
        // The colour of four pixels is their mean, weighted by how much each covers.
        let [red, green, blue, covered] = [0, 0, 0, 0];
        for (let part = 0; part < step * step; part++) {
          const at = 4 * ((y * step + Math.floor(part / step)) * width + x * step + (part % step));
          const alpha = rgba[at + 3]!;
          red += rgba[at]! * alpha;
          green += rgba[at + 1]! * alpha;
          blue += rgba[at + 2]! * alpha;
          covered += alpha;
        }
        if (covered === 0) continue;
        values[y * across + x] = Math.round(value(red / covered, green / covered, blue / covered));
        cover[y * across + x] = Math.round(covered / (step * step));
      }
    }
    return { values, cover, width: across };
  };
  const luma = (red: number, green: number, blue: number): number => 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return {
    leftPx: overlay.leftPx,
    topPx: overlay.topPx,
    sheets: [
      sheet(1, (red, green, blue) => 16 + (219 / 255) * luma(red, green, blue)),
      sheet(2, (red, green, blue) => 128 + ((224 / 255) * (blue - luma(red, green, blue))) / 1.8556),
      sheet(2, (red, green, blue) => 128 + ((224 / 255) * (red - luma(red, green, blue))) / 1.5748),
    ],
  };
}

/** Lays a drawing over a picture, in place. */
export function layOver(picture: Uint8Array, size: PictureSize, overlay: PreparedOverlay): void {
  let plane = 0;
  for (const [index, { values, cover, width }] of overlay.sheets.entries()) {
    const step = index === 0 ? 1 : 2;
    const stride = size.widthPx / step;
    const corner = plane + (overlay.topPx / step) * stride + overlay.leftPx / step;
    for (let at = 0; at < values.length; at++) {
      const share = cover[at]!;
      if (share === 0) continue;
      const target = corner + Math.floor(at / width) * stride + (at % width);
      picture[target] = Math.round((picture[target]! * (255 - share) + values[at]! * share) / 255);
    }
    plane += stride * (size.heightPx / step);
  }
}
