import { z } from 'zod';
import { BotId, Timestamp } from './common.ts';

/** The network of a bot: what the gate does with its connections, and to whom it spoke (docs/network.md). */

export const NETWORK_MODES = ['open', 'observe', 'enforce'] as const;
/**
 * `open`: the bot does not go through the gate; one whose engine lets it reach nothing else does, as in `observe`. `observe`: the
 * gate records and refuses nothing. `enforce`: the gate refuses what no permit allows.
 */
export const NetworkMode = z.enum(NETWORK_MODES);
export type NetworkMode = z.infer<typeof NetworkMode>;

const Count = z.number().int().min(0);

/** One destination of a bot, over all of its runs. */
export const Contact = z.object({
  /** A name or an address; `others` for everything beyond the first 500 destinations. */
  host: z.string(),
  port: z.number().int(),
  /** Connections that were made. */
  connections: Count,
  sent_bytes: Count,
  received_bytes: Count,
  /** Connections that were refused because no permit allows them. */
  blocked: Count,
  /** Connections that were made although no permit allows them, because the mode refused nothing. */
  beyond_permits: Count,
  /** Why the last one was refused, or would have been; null where permits allow it. */
  blocked_because: z.string().nullable(),
  first_at: Timestamp,
  last_at: Timestamp,
});
export type Contact = z.infer<typeof Contact>;

/** The file in which the gate keeps the contacts of a bot. */
export const Contacts = z.object({ items: z.array(Contact) });

/** The network of a bot as every surface returns it. */
export const BotNetwork = z.object({
  bot_id: BotId,
  mode: NetworkMode,
  /**
   * True: the program reaches the gate alone, and the gate refuses what no permit allows. False: nothing is refused, or the program
   * is given proxy settings, and nothing hinders it from passing them over. Of a program that runs, as it was started; else of one
   * that would start now.
   */
  is_enforced: z.boolean(),
  /** What mode and enforcement come to, in one sentence. */
  summary: z.string(),
  /** Newest first. */
  items: z.array(Contact),
  /** Lines for `permits` of bot-config.yaml that allow what the bot did beyond its permits. */
  proposal: z.array(z.string()),
});
export type BotNetwork = z.infer<typeof BotNetwork>;

/** Another mode for the network of a bot; it holds for connections from now on, of programs that start from now on. */
export const NetworkChange = z.strictObject({ bot_id: BotId, mode: NetworkMode });
export type NetworkChange = z.infer<typeof NetworkChange>;
