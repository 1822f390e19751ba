import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { z } from 'zod';

import { messageOf, ThroughlineError } from '../base/index.js';
import type { Handlers, RawRoute, Route } from './route.js';

/** No request of the page comes near this. */
const MAX_BYTES = 2 ** 20;

/** Serves every route of a table. Bodies and answers are checked against their schemas. */
export function serveRoutes<T extends Readonly<Record<string, Route>>>(routes: T, handlers: Handlers<T>): Hono {
  const app = new Hono();
  const tooLarge = (context: Context) =>
    context.json({ code: 'too-large', message: `Expected a request of at most ${MAX_BYTES} bytes, found more.` }, 413);
  const limit = bodyLimit({ maxSize: MAX_BYTES, onError: tooLarge });
  for (const [name, route] of Object.entries(routes)) {
    const handle = handlers[name] as (request: { parameters: object; body: unknown }) => Promise<unknown>;
    if (route.stream) {
      app.on(route.method, route.path, async (context) => {
        const length = context.req.header('content-length');
        const sent = { bytes: context.req.raw.body, declared: length === undefined ? null : Number(length) };
        return context.json(
          route.response.parse(await handle({ parameters: context.req.param(), body: sent })) as object,
        );
      });
      continue;
    }
    app.on(route.method, route.path, limit, async (context) => {
      const body = route.body ? route.body.safeParse(await context.req.json().catch(() => undefined)) : null;
      if (body && !body.success) {
        const issue = body.error.issues[0];
        const where = issue?.path.join('.') || 'the body';
        return context.json({ code: 'bad-request', message: `Expected a valid ${where}: ${issue?.message}.` }, 400);
      }
      context.header('Cache-Control', 'no-store');
      const answer = await handle({ parameters: context.req.param(), body: body?.data });
      return context.json(route.response.parse(answer) as object);
    });
  }
  return app;
}

const STATUS: Readonly<Record<string, 404 | 409 | 413 | 429>> = {
  ...{ 'not-found': 404, stale: 409, 'not-ended': 409, 'not-done': 409, 'too-large': 413, quota: 429 },
};

/** An error as an answer: 4xx with its reason if it is one of ours, otherwise 500. */
export function explainError(error: Error, context: Context): Response {
  const isKnown = error instanceof ThroughlineError;
  const code = isKnown ? error.code : 'fault';
  const status = STATUS[code] ?? (isKnown ? 422 : 500);
  return context.json({ code, message: messageOf(error) }, status);
}

/** The OpenAPI 3.1 document of a table of routes. */
export function describeRoutes(
  routes: Readonly<Record<string, Route>>,
  { title, version, raw = {} }: { title: string; version: string; raw?: Readonly<Record<string, RawRoute>> },
): object {
  const paths: Record<string, Record<string, object>> = {};
  const operation = (name: string, { path, summary }: { path: string; summary: string }): object => {
    const parameters = [...path.matchAll(/:(\w+)/g)].map(([, parameter]) => ({
      ...{ name: parameter, in: 'path', required: true, schema: { type: 'string' } },
    }));
    return { operationId: name, summary, parameters };
  };
  const refused = { description: 'Refused, with the reason.', content: asJson(problem, 'output') };
  const at = (path: string): Record<string, object> => (paths[path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')] ??= {});
  for (const [name, route] of Object.entries(routes)) {
    const { method, path, body, stream, response } = route;
    at(path)[method] = {
      ...operation(name, route),
      ...(body ? { requestBody: { required: true, content: asJson(body, 'input') } } : {}),
      ...(stream ? { requestBody: { required: true, content: { 'application/octet-stream': {} } } } : {}),
      security: [{ token: [] }],
      responses: {
        200: { description: 'Done.', content: asJson(response, 'output') },
        default: refused,
      },
    };
  }
  for (const [name, route] of Object.entries(raw)) {
    const { parameters, ...described } = operation(name, route) as { parameters: object[] };
    const query = (route.query ?? []).map((key) => ({
      ...{ name: key, in: 'query', required: true, schema: { type: 'string' } },
    }));
    at(route.path)['get'] = {
      ...{ ...described, parameters: [...parameters, ...query] },
      ...(route.isOpen ? { security: [] } : { security: [{ token: [] }] }),
      responses: { 200: { description: 'Done.', content: { [route.type]: {} } }, default: refused },
    };
  }
  return {
    openapi: '3.1.0',
    info: { title, version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    paths,
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  };
}

/** The body of every error. */
const problem = z.object({ code: z.string(), message: z.string() });

function asJson(schema: z.ZodType, io: 'input' | 'output'): object {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io });
  return { 'application/json': { schema: described } };
}
