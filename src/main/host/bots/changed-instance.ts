import type { UpdateRequest } from '../../../contract/bot.ts';
import { invalid } from '../../../contract/errors.ts';
import { DEFAULT_TIMEZONE } from '../../../shared/schedule.ts';
import type { BotRow } from '../control/bot-store.ts';
import type { BotCodeSource } from './bot-code.ts';
import { checkChangedInstance } from './check-instance.ts';
import type { Setup } from './failure/setup-changes.ts';
import { readUpdateRequest, splitType } from './instance-request.ts';
import { changedConfig, redactedConfig } from './redacted-config.ts';
import type { ChangeReader } from './settings-for-reader.ts';

/** What an update says about a bot, whole: what it leaves out is as it was. */
export type ChangedInstance = Pick<
  BotRow,
  'name' | 'version' | 'schedule' | 'timezone' | 'config' | 'options' | 'engine' | 'enabled'
>;

/**
 * What a bot would be after an update. Throws INVALID_REQUEST, INVALID_SCHEDULE or INVALID_CONFIG for one that its code cannot run, as
 * far as `asker` may know, CUSTOM_BOT_NOT_FOUND for a version that is not there.
 */
export function changedInstance(
  codes: BotCodeSource,
  bot: BotRow,
  body: UpdateRequest,
  asker: ChangeReader = 'person',
): ChangedInstance {
  const change = readUpdateRequest(body, bot.flat);
  const wanted = change.type === undefined ? null : splitType(change.type);
  if (wanted !== null && (wanted.type !== bot.type || wanted.customBot !== bot.customBot)) {
    throw invalid('INVALID_REQUEST', [
      {
        path: 'type',
        message: `a bot keeps its custom bot (${bot.type}/${bot.customBot})`,
        hint: 'Deploy a new bot for another custom bot.',
      },
    ]);
  }
  const version = change.version ?? bot.version;
  const code = codes.open(bot.userId, bot.customBot, version);
  const before = version === bot.version ? code : codes.open(bot.userId, bot.customBot, bot.version);
  const config = changedConfig(code, before, change, bot.config);
  const schedule = change.schedule === undefined ? bot.schedule : change.schedule;
  const timezone = change.timezone === undefined ? bot.timezone : (change.timezone ?? DEFAULT_TIMEZONE);
  const shape = {
    type: bot.type,
    schedule,
    timezone: bot.type === 'realtime' ? (change.timezone ?? null) : timezone,
    config,
  };
  checkChangedInstance(shape, code, change, bot, before, asker);
  return {
    name: change.name ?? bot.name,
    version,
    schedule,
    timezone,
    config,
    options: change.options ?? bot.options,
    engine: change.options?.engine ?? bot.engine,
    enabled: change.enabled ?? bot.enabled,
  };
}

/** The setup of a bot, to be compared with that after an update. Throws CUSTOM_BOT_NOT_FOUND. */
export function setupOf(codes: BotCodeSource, bot: BotRow): Setup {
  const { version, schedule, timezone, options, engine } = bot;
  const code = codes.open(bot.userId, bot.customBot, version);
  const config = code.validate(bot.config).effective;
  const shown = redactedConfig(code, config);
  const secrets = code.secrets(config);
  return { version, runtime: code.runtime, engine, schedule, timezone, options, config, shown, secrets };
}
