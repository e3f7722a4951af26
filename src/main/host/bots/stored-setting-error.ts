import type { JsonObject } from '../../../contract/common.ts';
import { invalid, PlatformError, type Problem } from '../../../contract/errors.ts';

const KEY = /^config\.([^.[\]]+)/;

/** The problems of an INVALID_CONFIG without the words of those that quote one of these values. Any other error stays. */
export function withoutSecrets(error: unknown, secrets: readonly string[], version: string): unknown {
  if (!(error instanceof PlatformError) || error.code !== 'INVALID_CONFIG' || !Array.isArray(error.details))
    return error;
  const forms = secrets.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
  const quotes = (text = ''): boolean => forms.some((form) => text.includes(form));
  const problems = (error.details as Problem[]).map((problem): Problem => {
    if (!quotes(problem.message) && !quotes(problem.hint)) return problem;
    return { path: problem.path, message: `holds a value that version ${version} refuses, and that is a secret now` };
  });
  return invalid('INVALID_CONFIG', problems);
}

/**
 * Rewords an INVALID_CONFIG of a version change that concerns stored settings, which the client did not send and the
 * other version refuses: says so, and how to go on. Any other error stays.
 */
export function namingStored(error: unknown, sent: JsonObject, stored: JsonObject, version: string): unknown {
  if (!(error instanceof PlatformError) || error.code !== 'INVALID_CONFIG' || !Array.isArray(error.details))
    return error;
  const problems = (error.details as Problem[]).map((problem): Problem => {
    const key = KEY.exec(problem.path)?.[1];
    if (key === undefined || Object.hasOwn(sent, key) || !Object.hasOwn(stored, key)) return problem;
    const name = JSON.stringify(key);
    return {
      path: problem.path,
      message: `version ${version} refuses the stored setting ${name}, which this update did not send: ${problem.message}`,
      hint: `Send ${name} with the version: null to remove it, or a value that ${version} takes.`,
    };
  });
  return new PlatformError('INVALID_CONFIG', undefined, {
    details: problems,
    hint: `To go to version ${version}, change the settings that it refuses in the same update.`,
    cause: error,
  });
}
