import type { IncomingMessage } from 'node:http';
import { invalid } from '../../../contract/errors.ts';
import { mergeOwn, ownValue, safeJsonObject } from '../../../shared/json.ts';
import { checkContentType, readJsonBody } from './body.ts';
import { PACKAGE_TYPES } from './package-media-types.ts';
import type { Parameters, Route } from './routes.ts';

function convert({ numeric, boolean }: Parameters, name: string, text: string): unknown {
  if (numeric.has(name) && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (boolean.has(name) && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function fromQuery(route: Route, query: URLSearchParams): Record<string, unknown> {
  const seen = new Set<string>();
  for (const name of query.keys()) {
    if (seen.has(name)) {
      const hint = 'Give each parameter once.';
      throw invalid('INVALID_REQUEST', [{ path: name, message: 'is given more than once', hint }]);
    }
    seen.add(name);
  }
  if (seen.size === 0) return {};
  const parameters = route.parameters();
  return safeJsonObject([...query].map(([name, text]) => [name, convert(parameters, name, text)] as const));
}

/**
 * The input of an operation: path parameters, then query parameters of a GET, a DELETE or an upload, else the JSON
 * body. A body that names another target than the path is refused, never silently overruled.
 */
export async function readInput(
  request: IncomingMessage,
  route: Route,
  params: Readonly<Record<string, string>>,
  query: URLSearchParams,
): Promise<Record<string, unknown>> {
  const { method, kind, bodyLimit } = route.operation;
  if (kind === 'upload') checkContentType(request, PACKAGE_TYPES);
  const isInQuery = method === 'GET' || method === 'DELETE' || kind === 'upload';
  const rest = isInQuery ? fromQuery(route, query) : await readJsonBody(request, bodyLimit);
  for (const [name, value] of Object.entries(params)) {
    const other = ownValue(rest, name);
    if (other !== undefined && other !== value) {
      throw invalid('INVALID_REQUEST', [
        { path: name, message: 'differs from the address', hint: 'Leave it out of the body; the address names it.' },
      ]);
    }
  }
  return mergeOwn(rest, params);
}
