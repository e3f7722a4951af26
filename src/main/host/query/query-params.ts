import type { JsonObject } from '../../../contract/common.ts';
import { invalid } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';

/** Parameters as text: strings as they are, other scalars and JSON values as their JSON text. */
export function paramTexts(params: JsonObject): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const [name, value] of Object.entries(params)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (text !== undefined) texts.set(name, text);
  }
  return texts;
}

/** The texts as one JSON object. `__proto__` is a name like any other. */
export function paramsJson(texts: ReadonlyMap<string, string>): string {
  const json = `{${[...texts].map(([name, text]) => `${JSON.stringify(name)}:${JSON.stringify(text)}`).join(',')}}`;
  if (Buffer.byteLength(json) > LIMITS.queryRequestBytes) {
    const message = `the parameters are larger than ${LIMITS.queryRequestBytes} bytes`;
    throw invalid('INVALID_REQUEST', [{ path: 'params', message }]);
  }
  return json;
}

/** Query string with `%20` for a space: not every SDK reads `+` as one. */
export function paramsQuery(texts: ReadonlyMap<string, string>): string {
  const encode = (text: string): string => encodeURIComponent(text.toWellFormed());
  return [...texts].map(([name, text]) => `${encode(name)}=${encode(text)}`).join('&');
}

/**
 * QUERY_PARAM_<name> for each name that can be part of a variable's name and each value that the OS can pass on;
 * QUERY_PARAMS has all of them.
 */
export function paramVariables(texts: ReadonlyMap<string, string>): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [name, text] of texts) {
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !text.includes('\0')) variables[`QUERY_PARAM_${name}`] = text;
  }
  return variables;
}
