import type { z } from 'zod';

/** One thing the studio's server can be asked, declared once: the server, the page and the OpenAPI document follow. */
export type Route = {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Parts that begin with a colon are parameters. */
  readonly path: `/api/${string}`;
  readonly summary: string;
  /** What must be sent; absent = nothing is. */
  readonly body?: z.ZodType;
  /** Bytes are sent, of any number, and handed on as they come. */
  readonly stream?: true;
  readonly response: z.ZodType;
};

/** The parameters of a path: `/api/videos/:video` has `video`. */
export type ParametersOf<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? { readonly [K in Name]: string } & ParametersOf<Rest>
  : P extends `${string}:${infer Name}`
    ? { readonly [K in Name]: string }
    : unknown;

/** What a route is sent and what it gives back. */
type BodyOf<R extends Route> = R['body'] extends z.ZodType
  ? z.output<R['body']>
  : R['stream'] extends true
    ? Sent
    : undefined;
export type SentTo<R extends Route> = R['body'] extends z.ZodType ? z.input<R['body']> : undefined;
type AnswerOf<R extends Route> = z.input<R['response']>;
export type ReceivedFrom<R extends Route> = z.output<R['response']>;

/** Bytes that are sent; how many, where that was said before. */
type Sent = { readonly bytes: ReadableStream<Uint8Array> | null; readonly declared: number | null };

/** A function for every route of a table: leaving one out does not compile. */
export type Handlers<T extends Readonly<Record<string, Route>>> = {
  readonly [K in keyof T]: (request: {
    readonly parameters: ParametersOf<T[K]['path']>;
    readonly body: BodyOf<T[K]>;
  }) => Promise<AnswerOf<T[K]>>;
};

/** Keeps the literal types of a route. */
export function route<const R extends Route>(declared: R): R {
  return declared;
}
