/** A tar archive of files, as npm packs them: ustar headers, content filled up to blocks of 512. */
export function writeTar(files: Readonly<Record<string, Uint8Array>>, kind = '0'): Buffer {
  const blocks = Object.entries(files).flatMap(([path, content]) => {
    const header = Buffer.alloc(512);
    const cut = path.length > 100 ? path.lastIndexOf('/', 155) : -1;
    header.write(path.slice(cut + 1), 0);
    if (cut > 0) header.write(path.slice(0, cut), 345);
    header.write('000644 \0', 100);
    header.write(`${content.length.toString(8).padStart(11, '0')} `, 124);
    header.write(kind, 156);
    header.write('ustar\x0000', 257, 'latin1');
    header.write('        ', 148);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}
