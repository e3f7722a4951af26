import { z } from 'zod';
import { OPERATIONS, type Operation, type OperationName } from '../../../contract/operations.ts';

/** A row of the operation table as an HTTP route. */
export interface Route {
  readonly name: OperationName;
  readonly operation: Operation;
  readonly segments: readonly string[];
  /** Returns the types of the query parameters. */
  readonly parameters: () => Parameters;
}

/** Query parameters that are not text. */
export interface Parameters {
  readonly numeric: ReadonlySet<string>;
  readonly boolean: ReadonlySet<string>;
}

export type Match =
  | { readonly route: Route; readonly params: Readonly<Record<string, string>> }
  | { readonly allow: readonly string[] };

function parametersOf(operation: Operation): Parameters {
  const schema = z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' });
  const fields = Object.entries(schema.properties ?? {});
  const ofType = (...types: readonly string[]): Set<string> =>
    new Set(
      fields
        .filter(([, field]) => typeof field === 'object' && types.includes(String(field.type)))
        .map(([name]) => name),
    );
  return { numeric: ofType('number', 'integer'), boolean: ofType('boolean') };
}

function routeOf(name: OperationName, operation: Operation): Route {
  let parameters: Parameters | undefined;
  return {
    name,
    operation,
    segments: operation.path.split('/').slice(1),
    // Computed when first needed: computing it for all operations took a fifth of the start of a host.
    parameters: () => {
      parameters ??= parametersOf(operation);
      return parameters;
    },
  };
}

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

function paramsOf(route: Route, segments: readonly string[]): Record<string, string> | null {
  if (segments.length !== route.segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, pattern] of route.segments.entries()) {
    const segment = segments[index] ?? '';
    if (!pattern.startsWith('{')) {
      if (pattern !== segment) return null;
      continue;
    }
    const value = decode(segment);
    if (value === null || value === '') return null;
    params[pattern.slice(1, -1)] = value;
  }
  return params;
}

/** Fixed words override parameters: `/custom-bots/validate` is not a custom bot of that name. */
const fixedWords = (route: Route): number => route.segments.filter((segment) => !segment.startsWith('{')).length;

/** Returns a router for the operation table. `null`: no row has this path. */
export function createRouter(): (method: string, pathname: string) => Match | null {
  const names = Object.keys(OPERATIONS) as OperationName[];
  const routes = names.map((name) => routeOf(name, OPERATIONS[name])).sort((a, b) => fixedWords(b) - fixedWords(a));
  return (method, pathname) => {
    const segments = pathname.split('/').slice(1);
    const found = routes.flatMap((route) => {
      const params = paramsOf(route, segments);
      return params === null ? [] : [{ route, params }];
    });
    const match = found.find(({ route }) => route.operation.method === method);
    if (match !== undefined) return match;
    return found.length === 0 ? null : { allow: [...new Set(found.map(({ route }) => route.operation.method))] };
  };
}
