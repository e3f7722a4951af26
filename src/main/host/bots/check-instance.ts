import type { JsonObject } from '../../../contract/common.ts';
import { invalid, type Problem } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { DEFAULT_TIMEZONE, parseSchedule } from '../../../shared/schedule.ts';
import type { BotRow } from '../control/bot-store.ts';
import type { BotCode } from './bot-code.ts';
import type { InstanceChange, InstanceRequest } from './instance-request.ts';
import type { ChangeReader } from './settings-for-reader.ts';
import { namingStored, withoutSecrets } from './stored-setting-error.ts';
import { problemsOfKnown } from './unknown-secrets.ts';

type Shape = Pick<InstanceRequest, 'type' | 'schedule' | 'timezone' | 'config'>;

/** What its code finds wrong with a config. */
type ProblemsOf = (config: JsonObject) => readonly Problem[];

/** Throws INVALID_REQUEST, INVALID_SCHEDULE or INVALID_CONFIG for an instance that its code cannot run. */
export function checkInstance(
  request: Shape,
  code: BotCode,
  problemsOf: ProblemsOf = (config) => code.validate(config).problems,
): void {
  if (request.type !== code.botType) {
    throw invalid('INVALID_REQUEST', [
      { path: 'type', message: `this custom bot is ${code.botType}`, hint: `Write ${code.botType}/<name> in type.` },
    ]);
  }
  if (request.type === 'realtime' && request.schedule !== null) {
    throw invalid('INVALID_SCHEDULE', [
      { path: 'schedule', message: 'a realtime bot has no schedule', hint: 'Leave schedule out.' },
    ]);
  }
  if (request.type === 'realtime' && request.timezone !== null) {
    throw invalid('INVALID_SCHEDULE', [
      { path: 'timezone', message: 'a realtime bot has no schedule', hint: 'Leave timezone out.' },
    ]);
  }
  if (request.type === 'scheduled') {
    if (request.schedule === null) {
      throw invalid('INVALID_SCHEDULE', [
        {
          path: 'schedule',
          message: 'a scheduled bot needs a schedule',
          hint: 'For example "0 14 * * 1-5": 14:00 UTC on weekdays.',
        },
      ]);
    }
    parseSchedule(request.schedule, request.timezone ?? DEFAULT_TIMEZONE);
  }
  if (Buffer.byteLength(JSON.stringify(request.config)) > LIMITS.configBytes) {
    throw invalid('INVALID_CONFIG', [{ path: 'config', message: `larger than ${LIMITS.configBytes} bytes` }]);
  }
  const problems = problemsOf(request.config);
  if (problems.length > 0) throw invalid('INVALID_CONFIG', problems);
}

/**
 * As checkInstance; marks problems of settings that are stored, not sent, and that the other version refuses. `before` is the present
 * version: whoever writes another one may hide less by it, and its problems quote no value that the present one hides. `asker`: a key
 * is told nothing of these values, also not whether they are right.
 */
export function checkChangedInstance(
  shape: Shape,
  code: BotCode,
  change: InstanceChange,
  bot: BotRow,
  before: Pick<BotCode, 'secrets' | 'mapSecrets'>,
  asker: ChangeReader,
): void {
  try {
    if (asker === 'key') checkInstance(shape, code, (config) => problemsOfKnown(code, before, config));
    else checkInstance(shape, code);
  } catch (error) {
    if (change.version === undefined || change.version === bot.version) throw error;
    const told = withoutSecrets(error, before.secrets(bot.config), change.version);
    throw namingStored(told, { ...change.config, ...change.configPatch }, bot.config, change.version);
  }
}
