import { z } from 'zod';
import { BotId, Timestamp } from './common.ts';

/**
 * Degree to which an engine isolates the programs of a bot from everything else, weakest first. `none`: a plain process with the
 * rights of the user who runs the host. `partial`: the sandbox of the operating system keeps it from files, local sockets
 * and other programs, and its network is not limited. `sandbox`: its network is limited, too. `container`: a container of
 * its own.
 */
export const IsolationLevel = z.enum(['none', 'partial', 'sandbox', 'container']);
export type IsolationLevel = z.infer<typeof IsolationLevel>;

/** True when `level` isolates less than `least`. */
export function isBelow(level: IsolationLevel, least: IsolationLevel): boolean {
  return IsolationLevel.options.indexOf(level) < IsolationLevel.options.indexOf(least);
}

/** The weakest of these levels. */
export function weakestLevel(first: IsolationLevel, ...more: readonly IsolationLevel[]): IsolationLevel {
  return more.reduce((weakest, level) => (isBelow(level, weakest) ? level : weakest), first);
}

/**
 * A bot that was enabled when the least isolation of its host rose above it. It keeps its engine, and the version of its
 * code, until an update moves it to an engine that isolates enough. No request gives a bot an exception.
 */
export const IsolationException = z.object({
  level: IsolationLevel.meta({ description: 'How far the bot is isolated' }),
  least: IsolationLevel.meta({ description: 'The least isolation of the host, which it stays below' }),
  since: Timestamp.meta({ description: 'When the least isolation rose' }),
  message: z.string().meta({ description: 'Why it runs all the same and how to end that, for people' }),
});
export type IsolationException = z.infer<typeof IsolationException>;

/** A bot that runs with an exception. Owners see those of all users, and nothing else about the bot. */
export const ExceptedBot = IsolationException.extend({
  bot_id: BotId,
  name: z.string(),
  user: z.string().meta({ description: 'Name of the user whose bot it is' }),
});
export type ExceptedBot = z.infer<typeof ExceptedBot>;
