import { z } from 'zod';

import type { Work } from '../studio/index.js';
import type { Desks } from './desks.js';
import type { Roots } from './folders.js';

/** What a tool needs besides its arguments. */
export type ToolContext = {
  readonly desks: Desks;
  readonly roots: Roots;
  /** Aborted when the request is cancelled. */
  readonly signal: AbortSignal;
  /** Tells the client how far the work is. */
  readonly onWork: (work: Work) => void;
};

/** The answer of a tool, and a picture if it has one. */
export type Answer<T> = { readonly data: T; readonly jpeg?: Buffer };

/** A tool, declared once: name, sentence, arguments, answer. */
export type Tool<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> = {
  readonly title: string;
  readonly description: string;
  readonly input: I;
  readonly output: O;
  /** Whether it changes the topic: its settings or its files. */
  readonly changes: boolean;
  run(given: z.output<I>, context: ToolContext): Promise<Answer<z.input<O>>>;
};

/** Keeps the types of a tool for its own function. */
export function tool<I extends z.ZodType, O extends z.ZodType>(declared: Tool<I, O>): Tool {
  return declared as unknown as Tool;
}

/** Arguments that several tools have. */
export const args = {
  folder: z.string().min(1).max(4096).describe('Folder of videos, or of a topic: as list_folders names it'),
  video: z.string().min(1).max(300).describe('File name of a video'),
  shot: z.int().positive().max(1e9).describe('Number of a shot of that video, from 1'),
  length: z.string().min(1).max(40),
  waitSeconds: z
    .number()
    .min(0)
    .max(3600)
    .default(40)
    .describe('Answer after so many seconds at the latest; the work goes on, and "status" tells how far it is'),
  first: z.int().positive().max(1e9).default(1).describe('The first to list, from 1'),
  count: z.int().positive().max(200).default(50).describe('How many to list'),
  isOn: z.boolean().default(true).describe('false takes the wish back'),
};
