import { z } from 'zod';
import { JsonObject } from '../../../../contract/common.ts';
import { VERSION } from '../../../../contract/limits.ts';
import { optionsField } from './bot-options.ts';

/** Arguments that several tools take. Each says where its value comes from. */
export const botId = z.string().min(1).max(64).meta({ description: 'Id of a bot as bot_list returns it.' });
export const customBotName = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'Name of a custom bot as custom_bot_list returns it.', examples: ['sma-crossover'] });
export const version = z
  .string()
  .regex(VERSION, 'must look like 1.2.3')
  .optional()
  .meta({ description: 'Version such as "1.1.0". Omit for the newest.' });
const settings = JsonObject;

/** The instance request. Instance files call its settings `config`, the tool table calls the argument `settings`. */
export const instanceConfig = z.strictObject({
  name: z.string().min(1).max(100).meta({ description: 'Name of the bot, unique among your bots.' }),
  type: z
    .string()
    .regex(/^(realtime|scheduled)\/[^/]+$/, 'must be "realtime/<custom bot>" or "scheduled/<custom bot>"')
    .meta({ description: '"<realtime|scheduled>/<custom bot name>".', examples: ['realtime/sma-crossover'] }),
  version: z.string().regex(VERSION, 'must look like 1.2.3').meta({ description: 'Version of the custom bot to run.' }),
  schedule: z
    .string()
    .optional()
    .meta({ description: 'Scheduled bots only: five-field cron.', examples: ['0 14 * * 1-5'] }),
  timezone: z.string().optional().meta({ description: 'Zone of schedule, such as Europe/Berlin; UTC without it.' }),
  settings: settings.optional().meta({ description: 'Settings of the bot; must match custom_bot_schema.' }),
  config: settings.optional().meta({ description: 'Same as settings. Give one of the two.' }),
  enabled: z.boolean().optional().meta({ description: 'false: create it without starting it.' }),
  options: optionsField,
});

/** Changes of bot_update: the same fields, all optional, described by their effect on an existing bot. */
export const instanceChange = z.strictObject({
  name: instanceConfig.shape.name.meta({ description: 'New name.' }).optional(),
  type: instanceConfig.shape.type.meta({ description: 'Cannot change; may be repeated.' }).optional(),
  version: instanceConfig.shape.version.meta({ description: 'Version to run from now on.' }).optional(),
  schedule: z.string().optional().meta({ description: 'Five-field cron.' }),
  timezone: z.string().optional().meta({ description: 'Zone of schedule.' }),
  settings: settings.optional().meta({ description: 'Settings to change; null sets one back to its default.' }),
  config: settings.optional().meta({ description: 'Same as settings.' }),
  enabled: z
    .boolean()
    .optional()
    .meta({ description: 'false stops the bot until true; true also retries one that ended.' }),
  options: JsonObject.optional().meta({ description: 'As for bot_deploy; those left out stay, null removes one.' }),
});
