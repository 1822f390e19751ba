import type { z } from 'zod';

/** One request that the server answers, declared once for the server, the page and the OpenAPI document. */
export type Route = {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Parts that begin with a colon are parameters. */
  readonly path: `/api/${string}`;
  readonly summary: string;
  /** The body of the request, if it has one. */
  readonly body?: z.ZodType;
  /** The body is bytes of any number, passed on as they arrive. */
  readonly stream?: true;
  readonly response: z.ZodType;
};

/** A GET request whose answer is not JSON by a schema. */
export type RawRoute = {
  readonly path: `/${string}`;
  readonly summary: string;
  /** The media type of the answer. */
  readonly type: string;
  /** Needs no token. */
  readonly isOpen?: true;
  readonly query?: readonly string[];
};

/** The parameters of a path: `/api/videos/:video` has `video`. */
export type ParametersOf<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? { readonly [K in Name]: string } & ParametersOf<Rest>
  : P extends `${string}:${infer Name}`
    ? { readonly [K in Name]: string }
    : unknown;

/** The body of a request and its answer, as the server and as the page see them. */
type BodyOf<R extends Route> = R['body'] extends z.ZodType
  ? z.output<R['body']>
  : R['stream'] extends true
    ? Sent
    : undefined;
/** The body of a request, as a client sends it. */
export type SentTo<R extends Route> = R['body'] extends z.ZodType ? z.input<R['body']> : undefined;
type AnswerOf<R extends Route> = z.input<R['response']>;
/** The answer to a request, as a client receives it. */
export type ReceivedFrom<R extends Route> = z.output<R['response']>;

/** Bytes that are being sent; `declared` is their number by Content-Length. */
type Sent = { readonly bytes: ReadableStream<Uint8Array> | null; readonly declared: number | null };

/** A function for every route of a table; a missing one does not compile. */
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
