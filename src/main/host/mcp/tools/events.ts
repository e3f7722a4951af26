import { z } from 'zod';
import { BotEventKind } from '../../../../contract/bot.ts';
import type { BotActor, BotEventBy } from '../../../../contract/bot-actor.ts';
import { cut, fitting } from '../answer-size.ts';
import { READS, type Tool, tool } from '../tool.ts';
import { inTools } from '../tool-words.ts';
import { BOT_WORDS_NOTICE, visible } from '../untrusted.ts';
import { botId } from './arguments.ts';
import { readCursor, writeCursor } from './cursor.ts';

const USUAL = 50;
const MOST = 500;
const MOST_CHANGED = 10;
const WORDS_BYTES = 300;

const EventsCursor = z.strictObject({
  asked: z.strictObject({ bot_id: z.string(), kind: BotEventKind.optional() }),
  /** Event before which reading continues. */
  before: z.number().int(),
});
type EventsCursor = z.infer<typeof EventsCursor>;

/** Returns the author of a call in words: a key by its name, a log-in by the name of its user. */
function actorWords({ method, key, key_id, client }: BotActor, user: string | null): string {
  const known = method === 'api_key' ? `key ${key === null ? key_id : `"${key}"`}` : null;
  const who =
    known ?? (user === null ? method : `user ${user} (${method === 'local' ? 'on this machine' : 'logged in'})`);
  return cut(visible(client === null ? who : `${who}, client ${client}`), 200);
}

function whoOf({ requested, by }: BotEventBy, user: string): string {
  if (by !== null) return actorWords(by, user);
  return requested ? 'a user or key that the audit trail no longer names' : 'the host';
}

function rowOf(event: BotEventBy, user: string): Record<string, unknown> {
  const { at, kind, status, health, reason, run_id, trigger, changes } = event;
  const changed = changes.slice(0, MOST_CHANGED).map(({ message }) => cut(visible(message), WORDS_BYTES));
  return {
    at,
    kind,
    by: whoOf(event, user),
    ...(status === null ? {} : { status }),
    ...(health === null || health === 'ok' ? {} : { health }),
    ...(reason === null
      ? {}
      : { reason_code: reason.code, reason: cut(visible(inTools(reason.message)), WORDS_BYTES) }),
    ...(run_id === null ? {} : { run_id }),
    ...(trigger === null ? {} : { trigger }),
    ...(changed.length === 0 ? {} : { changes: changed }),
    ...(changed.length < changes.length ? { further_changes: changes.length - changed.length } : {}),
  };
}

/** Tool that returns the events of a bot with their authors. */
export const BOT_EVENTS: Tool = tool({
  name: 'bot_events',
  title: 'Read what happened to a bot',
  audit: ['read', 'read', 'the events[ of bot {bot}]'],
  description:
    'Read what happened to one bot, newest first, and who was behind it: deployment, changes of version, settings or schedule, starts, stops, restarts, failures with their reason code, ends of runs. `by` names the user or key that asked, with its client, or the host. The last 1000 events of a bot are kept.',
  input: z.strictObject({
    bot_id: botId,
    kind: BotEventKind.optional().meta({
      description: 'Only these: "updated" what was changed, "status" starts, stops and failures, "run" ends of runs.',
    }),
    limit: z
      .number()
      .int()
      .min(1)
      .max(MOST)
      .optional()
      .meta({ description: `Most events to return, default ${USUAL}.` }),
    cursor: z.string().max(8000).optional().meta({ description: 'To read on: next_cursor exactly as it came.' }),
  }),
  hints: READS,
  needs: 'bots.events',
  target: 'bot_id',
  async run({ limit = USUAL, cursor, ...asked }, caller) {
    const place: { asked: EventsCursor['asked']; before?: number } =
      cursor === undefined ? { asked } : readCursor(cursor, EventsCursor, asked);
    const { bot_id, kind } = place.asked;
    const [{ items }, { user }] = await Promise.all([
      caller.call('bots.events', {
        bot_id,
        limit: limit + 1,
        ...(kind === undefined ? {} : { kind }),
        ...(place.before === undefined ? {} : { before: place.before }),
      }),
      caller.call('auth.status', {}),
    ]);
    const events = fitting(items.slice(0, limit).map((event) => rowOf(event, user.name)));
    const last = items[events.length - 1];
    const truncated = last !== undefined && events.length < items.length;
    return {
      data: {
        bot_id,
        notice: BOT_WORDS_NOTICE,
        events,
        truncated,
        ...(truncated ? { next_cursor: writeCursor({ asked: place.asked, before: last.event_id }) } : {}),
      },
    };
  },
});
