import { PlatformError } from '../../../contract/errors.ts';
import type { PanicAnswer } from '../../../contract/start-and-panic.ts';
import { type Caller, isPerson, principalOf } from './handler-types.ts';
import { ownBot, reaches } from './own-bot.ts';
import type { Services } from './services.ts';

/**
 * Stops bots and holds them: those with these ids; null for all that the caller reaches, which are all of the host for an owner
 * in person. All of them are told to end before the first answer, and a fault of one keeps no other from that.
 */
export async function panic(
  { bots, holds, onError }: Pick<Services, 'bots' | 'holds' | 'onError'>,
  caller: Caller,
  botIds: readonly string[] | null,
): Promise<PanicAnswer> {
  const { name, role, method, keyName } = principalOf(caller);
  const who = method === 'api_key' ? `${name} (key ${keyName ?? 'without a name'})` : name;
  const all = role === 'owner' && isPerson(caller) ? bots.all() : bots.list(caller.userId);
  const chosen =
    botIds === null
      ? all.filter(({ botId, deleting, trash }) => !deleting && trash === null && reaches(caller, botId))
      : [...new Set(botIds)].map((botId) => ownBot(bots, caller, botId));
  const items = await Promise.all(
    chosen.map(async (bot) => {
      const { botId, name: botName } = bot;
      const of = { bot_id: botId, name: botName };
      try {
        await holds.panic(bot, who);
        return { ...of, stopped: true, problem: null };
      } catch (error) {
        onError(`panic of ${botId}`, error);
        const known = error instanceof PlatformError ? error : new PlatformError('INTERNAL');
        // Without space the program was told to end all the same.
        return {
          ...of,
          stopped: known.code === 'STORAGE_FULL',
          problem: `${known.message}. ${known.hint ?? ''}`.trim(),
        };
      }
    }),
  );
  return { items };
}
