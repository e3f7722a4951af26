import type { JsonObject } from '../../../contract/common.ts';
import { PlatformError, type Problem } from '../../../contract/errors.ts';

const KEY = /^config\.([^.[\]]+)/;

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
