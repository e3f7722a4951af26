import { z } from 'zod';
import { toTimestamp } from '../../../../contract/common.ts';
import { invalid, PlatformError } from '../../../../contract/errors.ts';
import { READS, type Tool, type ToolCaller, tool } from '../tool.ts';
import { BOT_TEXT_NOTICE } from '../untrusted.ts';
import { botId } from './arguments.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { briefBot, logLink } from './records.ts';
import { type Match, matchAt, matchIn, shownMetric, standingAt, Until } from './wait-condition.ts';

const MOST_SECONDS = 60;
/** Default wait, shorter than the minute after which many clients abandon a call. */
const USUAL_SECONDS = 45;
const TOLD_MS = 5000;

const WaitCursor = z.strictObject({
  /** With `until` as JSON text. */
  asked: z.strictObject({ bot_id: z.string(), until: z.string() }),
  until: Until,
  /** The position read so far: this seq of the log, or this event. */
  after: z.number().int().nonnegative(),
});
type WaitCursor = z.infer<typeof WaitCursor>;

/** State of a wait in progress. */
interface Wait {
  readonly botId: string;
  readonly until: Until;
  /** The position read so far; null before the first read. */
  after: number | null;
  /** Number of lines, metrics or events that arrived. */
  looked: number;
  /** Set when the wait is over: further events belong to the next call. */
  isOver: boolean;
}

/** Called with the end of the wait: the match, or the reason for which none will come. */
type Settle = (found: Match | PlatformError | string) => void;

const isAboutRows = ({ metric, line }: Until): boolean => metric !== undefined || line !== undefined;

const deleted = (): PlatformError =>
  new PlatformError('BOT_NOT_FOUND', 'Bot not found', { hint: 'It was deleted during the wait.' });

/** Follows the log as it grows. */
function followRows(wait: Wait, caller: ToolCaller, settle: Settle): Promise<() => void> {
  const input = { bot_id: wait.botId, ...(wait.after === null ? {} : { after: wait.after }) };
  return caller.follow('logs.stream', input, {
    start(id) {
      wait.after = Number(id);
    },
    push(batch) {
      if (wait.isOver) return;
      if ('gap' in batch) {
        settle(batch.gap.reason);
        return;
      }
      const found = matchIn(wait.until, batch);
      wait.after = found?.seq ?? batch.seq;
      wait.looked += wait.until.metric === undefined ? batch.logs.length : batch.metrics.length;
      if (found !== null) settle(found.match);
    },
    end: () => settle(deleted()),
  });
}

/** Subscribes to changes of the bot before reading its state, so that no change in between is missed. */
async function followEvents(wait: Wait, caller: ToolCaller, settle: Settle): Promise<() => void> {
  const end = await caller.follow('bots.stream', wait.after === null ? {} : { after: wait.after }, {
    start(id) {
      wait.after = Number(id);
    },
    gap(id, reason) {
      wait.after = Number(id);
      settle(reason);
    },
    push(event, id) {
      if (wait.isOver) return;
      wait.after = Number(id);
      if (event.bot_id !== wait.botId) return;
      wait.looked += 1;
      const standing = standingAt(event);
      const match = standing === null ? null : matchAt(wait.until, standing);
      if (event.kind === 'deleted') settle(deleted());
      else if (match !== null) settle(match);
    },
  });
  try {
    const bot = await caller.call('bots.get', { bot_id: wait.botId });
    const match = matchAt(wait.until, { ...bot, health: bot.health.state, at: toTimestamp(Date.now()) });
    if (match !== null) settle(match);
    return end;
  } catch (error) {
    end();
    throw error;
  }
}

/**
 * Resolves to the match; null when the time is over or the client has cancelled; a text with the reason if the wait
 * ended early.
 */
function settled(wait: Wait, seconds: number, caller: ToolCaller): Promise<Match | string | null> {
  return caller.whileOpen(async (ended) => {
    const { promise, resolve, reject } = Promise.withResolvers<Match | string | null>();
    // The promise may reject while the stream begins, before the caller awaits it.
    promise.catch(() => undefined);
    const over = (): void => (ended.reason instanceof PlatformError ? reject(ended.reason) : resolve(null));
    const begun = performance.now();
    const tell = (): void => {
      const passed = Math.round((performance.now() - begun) / 1000);
      caller.progress(passed, seconds, `Waiting, ${wait.looked} looked at`);
    };
    const timer = setTimeout(resolve, seconds * 1000, null);
    const telling = setInterval(tell, TOLD_MS);
    ended.addEventListener('abort', over, { once: true });
    let end = (): void => undefined;
    try {
      if (ended.aborted) over();
      const follow = isAboutRows(wait.until) ? followRows : followEvents;
      end = await follow(wait, caller, (found) => {
        wait.isOver = true;
        if (found instanceof PlatformError) reject(found);
        else resolve(found);
      });
      // Reported only when the stream is open, because the client may then trigger the event.
      tell();
      return await promise;
    } finally {
      wait.isOver = true;
      end();
      clearTimeout(timer);
      clearInterval(telling);
      ended.removeEventListener('abort', over);
    }
  });
}

/** Returns the state of the bot at the end of the wait, with the newest metric of the awaited type. */
async function standing({ botId: bot_id, until }: Wait, caller: ToolCaller) {
  const bot = await caller.call('bots.get', { bot_id });
  if (until.metric === undefined) return { now: briefBot(bot) };
  const { types } = await caller.call('metrics.get', { bot_id });
  const same = types.find(({ type }) => type === until.metric?.type);
  return { now: briefBot(bot), newest: same === undefined ? null : shownMetric(same.latest) };
}

function begin(cursor: string | undefined, bot_id: string, until: Until | undefined): Wait {
  if (cursor === undefined) {
    if (until !== undefined) return { botId: bot_id, until, after: null, looked: 0, isOver: false };
    throw invalid('INVALID_REQUEST', [{ path: 'until', message: 'is missing', hint: 'Say what is waited for.' }]);
  }
  const given = { bot_id, until: until === undefined ? undefined : JSON.stringify(until) };
  const { until: kept, after } = readCursor<WaitCursor>(cursor, WaitCursor, given);
  return { botId: bot_id, until: kept, after, looked: 0, isOver: false };
}

/** Waits for a bot's next step, in one call instead of many. */
export const BOT_WAIT: Tool = tool({
  name: 'bot_wait',
  title: 'Wait for a bot',
  audit: ['waited', 'wait', 'for [bot {bot}|a bot]'],
  description:
    'Wait until a bot emits a metric, logs a text, or has a status or health, and answer with it: one call instead of asking again and again. Metrics and lines count from now on, or from where cursor says; a status or health that is there already is answered at once. After timeout_sec the answer has timed_out true: call again with its cursor, and nothing in between is missed.',
  input: z.strictObject({
    bot_id: botId,
    until: Until.optional().meta({ description: 'Exactly one of its fields. May be left out with cursor.' }),
    timeout_sec: z
      .number()
      .min(1)
      .max(MOST_SECONDS)
      .optional()
      .meta({ description: `Seconds to wait, 1 to ${MOST_SECONDS}; default ${USUAL_SECONDS}.` }),
    cursor: z.string().max(8000).optional().meta({ description: 'To go on waiting: cursor exactly as it came.' }),
  }),
  hints: READS,
  needs: 'logs.get',
  target: 'bot_id',
  async run({ bot_id, until, timeout_sec = USUAL_SECONDS, cursor }, caller) {
    const wait = begin(cursor, bot_id, until);
    const begun = performance.now();
    const found = await settled(wait, timeout_sec, caller);
    const matched = typeof found === 'string' ? null : found;
    const asked = { bot_id, until: JSON.stringify(wait.until) };
    const next = { asked, until: wait.until, after: wait.after ?? 0 };
    return {
      data: {
        bot_id,
        timed_out: matched === null,
        notice: BOT_TEXT_NOTICE,
        matched,
        waited_sec: Math.round((performance.now() - begun) / 100) / 10,
        ...(matched === null
          ? {
              looked_at: wait.looked,
              ...(await standing(wait, caller)),
              what_to_do: 'Call bot_wait again with cursor.',
            }
          : {}),
        ...(typeof found === 'string' ? { ended_early: found } : {}),
        cursor: writeCursor(next),
      },
      links: [logLink(bot_id)],
    };
  },
});
