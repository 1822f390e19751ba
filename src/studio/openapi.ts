import { z } from 'zod';

import type { Route } from './route.js';

/** The OpenAPI 3.1 document of a table of routes. */
export function describeRoutes(routes: Readonly<Record<string, Route>>, version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, { method, path, summary, body, stream, response }] of Object.entries(routes)) {
    const parameters = [...path.matchAll(/:(\w+)/g)].map(([, parameter]) => ({
      ...{ name: parameter, in: 'path', required: true, schema: { type: 'string' } },
    }));
    const operations = (paths[path.replaceAll(/:(\w+)/g, '{$1}')] ??= {});
    operations[method] = {
      ...{ operationId: name, summary, parameters },
      ...(body ? { requestBody: { required: true, content: asJson(body, 'input') } } : {}),
      ...(stream ? { requestBody: { required: true, content: { 'application/octet-stream': {} } } } : {}),
      security: [{ token: [] }],
      responses: {
        200: { description: 'Done.', content: asJson(response, 'output') },
        default: { description: 'Refused, with the reason.', content: asJson(problem, 'output') },
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Throughline Studio', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
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
