import { z } from 'zod';
import { BotType, DeployRequest } from './bot.ts';
import { CustomBotVersion, Runtime } from './custom-bot.ts';

/** A bot that comes with the product, ready to be published and deployed. */
export const Sample = z.object({
  name: z.string(),
  version: z.string(),
  type: BotType,
  runtime: Runtime,
  description: z.string(),
  recommended: z.boolean().meta({ description: 'The one to begin with: it runs on every machine' }),
  problem: z
    .object({ message: z.string(), hint: z.string().nullable() })
    .nullable()
    .meta({ description: 'Why it cannot run on this machine; null when it can' }),
});
export type Sample = z.infer<typeof Sample>;

/** A sample that was published, with the request that deploys it against the offline price feed of the host. */
export const PublishedSample = z.object({
  custom_bot: CustomBotVersion,
  created: z.boolean(),
  instance: DeployRequest,
});
export type PublishedSample = z.infer<typeof PublishedSample>;
