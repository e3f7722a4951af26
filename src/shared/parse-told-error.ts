import { ERROR_RULES, type ErrorCode, PlatformError } from '../contract/errors.ts';
import { isJsonObject } from './json.ts';

const isCode = (value: unknown): value is ErrorCode => typeof value === 'string' && Object.hasOwn(ERROR_RULES, value);

/** The error in a host's answer or first line, `{"error":{"code":…}}`; INTERNAL with `otherwise` if there is none. */
export function toldError(value: unknown, otherwise: string): PlatformError {
  const error = isJsonObject(value) ? value.error : null;
  if (!isJsonObject(error) || !isCode(error.code)) return new PlatformError('INTERNAL', otherwise);
  const hint = typeof error.hint === 'string' ? error.hint : undefined;
  return new PlatformError(error.code, String(error.message), { hint, details: error.details });
}
