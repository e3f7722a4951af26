import { invalid } from '../../../contract/errors.ts';
import type { ProjectInstance } from '../../../contract/project.ts';
import { errorText } from '../../../node/system-error.ts';
import { configOf, INSTANCE_FILE } from '../../../project/instance-check.ts';
import { isJsonObject } from '../../../shared/json.ts';
import type { ConfinedFolder } from './confined.ts';

/** Returns the content of a project's instance file. Throws INVALID_CONFIG with the fault. */
export async function readInstance(folder: ConfinedFolder): Promise<Record<string, unknown>> {
  const refuse = (message: string, hint: string) => invalid('INVALID_CONFIG', [{ path: INSTANCE_FILE, message, hint }]);
  if (!(await folder.exists(INSTANCE_FILE))) {
    throw refuse('there is no such file', 'Make one with the config to run with: {"config": {}}.');
  }
  const { text } = await folder.read(INSTANCE_FILE);
  try {
    const value: unknown = JSON.parse((text ?? '').replace(/^\ufeff/, ''));
    if (isJsonObject(value)) return value;
  } catch (error) {
    throw refuse(`is not JSON: ${errorText(error)}`, 'Correct the file.');
  }
  throw refuse('holds no JSON object', 'Write {"config": {…}}.');
}

/**
 * Returns the fields of a project's instance file; one of another type counts as missing. Throws INVALID_CONFIG with the
 * fault.
 */
export async function describeInstance(folder: ConfinedFolder): Promise<ProjectInstance> {
  const said = await readInstance(folder);
  const config = configOf(said);
  return {
    name: typeof said.name === 'string' ? said.name : null,
    schedule: typeof said.schedule === 'string' ? said.schedule : null,
    timezone: typeof said.timezone === 'string' && said.config !== undefined ? said.timezone : null,
    enabled: typeof said.enabled === 'boolean' ? said.enabled : null,
    options: isJsonObject(said.options) ? said.options : {},
    config: isJsonObject(config) ? config : {},
  };
}
