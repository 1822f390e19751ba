import sharp from 'sharp';

/** A4 lying on its side, and its margin, in points of 1/72 inch. */
const PAGE = { width: 842, height: 595, margin: 28 } as const;

/** Sharp enough for letters of a few pixels. */
const QUALITY = 92;

/**
 * Pictures (PNG or JPEG) as a PDF 1.4 for print, one on each page, as large as its margins allow. It has neither dates nor
 * random ids: same pictures, same bytes.
 */
export async function drawPdf(pictures: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<Buffer> {
  const pages: string[] = [];
  const objects: (string | Buffer)[][] = [];
  for await (const picture of pictures) {
    const id = 3 + objects.length;
    pages.push(`${id} 0 R`);
    const flat = sharp(picture).toColourspace('srgb').removeAlpha().jpeg({ quality: QUALITY, chromaSubsampling: '4:4:4' }); // prettier-ignore
    const { data, info } = await flat.toBuffer({ resolveWithObject: true });
    const room = { width: PAGE.width - 2 * PAGE.margin, height: PAGE.height - 2 * PAGE.margin };
    const scale = Math.min(room.width / info.width, room.height / info.height);
    const [width, height] = [info.width * scale, info.height * scale];
    const corner = [(PAGE.width - width) / 2, (PAGE.height - height) / 2];
    const matrix = [width, 0, 0, height, ...corner].map((value) => value.toFixed(3)).join(' ');
    const drawing = `q ${matrix} cm /Im Do Q`;
    objects.push(
      [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${PAGE.width} ${PAGE.height}] `,
        `/Resources << /XObject << /Im ${id + 2} 0 R >> >> /Contents ${id + 1} 0 R >>`,
      ],
      [`<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`],
      [
        `<< /Type /XObject /Subtype /Image /Width ${info.width} /Height ${info.height} /ColorSpace /DeviceRGB `,
        `/BitsPerComponent 8 /Filter /DCTDecode /Length ${data.length} >>\nstream\n`,
        data,
        '\nendstream',
      ],
    );
  }
  return assemble([
    ['<< /Type /Catalog /Pages 2 0 R >>'],
    [`<< /Type /Pages /Count ${pages.length} /Kids [${pages.join(' ')}] >>`],
    ...objects,
  ]);
}

/** A file of numbered objects, with the table of where each begins. */
function assemble(objects: readonly (readonly (string | Buffer)[])[]): Buffer {
  // The second line tells programs that the file is binary.
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n%\u00e2\u00e3\u00cf\u00d3\n', 'latin1')];
  let length = parts[0]!.length;
  const push = (part: string | Buffer): void => {
    const bytes = Buffer.from(part as string, 'latin1');
    parts.push(bytes);
    length += bytes.length;
  };
  const offsets = objects.map((content, at) => {
    const start = length;
    push(`${at + 1} 0 obj\n`);
    for (const part of content) push(part);
    push('\nendobj\n');
    return start;
  });
  const table = length;
  push(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`);
  for (const offset of offsets) push(`${String(offset).padStart(10, '0')} 00000 n \n`);
  push(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`);
  return Buffer.concat(parts);
}
