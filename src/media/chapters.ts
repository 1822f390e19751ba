import type { Rational } from '../base/index.js';
import { writeTo, type Feed } from './encoder.js';
import { pipeInput } from './process.js';

/** Where something begins in a film, in ticks of the film’s clock, and what it is called. */
export type FilmChapter = { readonly start: number; readonly title: string };

/** Input arguments for the chapters of a film on pipe `fd`, the `input`th input; none without chapters. */
export function chapterInput(
  chapters: readonly FilmChapter[],
  { fd, input }: { fd: number; input: number },
): { input: readonly string[]; output: readonly string[] } {
  if (chapters.length === 0) return { input: [], output: ['-map_chapters', '-1'] };
  return { input: pipeInput('ffmetadata', fd), output: ['-map_chapters', String(input)] };
}

/** Writes chapters to their pipe: each lasts until the next begins, the last one to the end. */
export function chapterFeed(chapters: readonly FilmChapter[], ticks: number, { num, den }: Rational): Feed[] {
  if (chapters.length === 0) return [];
  const blocks = chapters.map(({ start, title }, at) => {
    const end = chapters[at + 1]?.start ?? ticks;
    const name = title.replace(/[=;#\\\n]/g, (character) => `\\${character}`);
    return `[CHAPTER]\nTIMEBASE=${num}/${den}\nSTART=${start}\nEND=${end}\ntitle=${name}\n`;
  });
  return [(sink) => writeTo(sink, Buffer.from(`;FFMETADATA1\n${blocks.join('')}`))];
}
