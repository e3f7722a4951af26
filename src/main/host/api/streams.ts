import type { LedgerChanges } from '../../../contract/ledger-upkeep.ts';
import type { LiveBatch, LiveQuery } from '../../../contract/telemetry.ts';
import type { StreamSink } from './api-types.ts';
import type { StreamHandlers } from './handler-types.ts';
import { ownBot, type Reach, reaches } from './own-bot.ts';
import type { Services } from './services.ts';

const REPLAY_PAGE = 1000;

/**
 * Streams changes of state of a user's bots: stored ones after the cursor first, then live ones. Reading, replaying and
 * subscribing happen in one turn of the event loop, so that no change is lost or sent twice. A reader whose cursor is
 * unknown, or from before a restore, gets a gap.
 */
function streamEvents(
  s: Services,
  who: Reach,
  { after }: { after?: number | undefined },
  sink: StreamSink,
): () => void {
  let cursor = after ?? null;
  const newest = s.events.newest();
  const begun = s.events.begun();
  if (cursor !== null && (cursor < begun || cursor > newest)) {
    const from = String(cursor < begun ? begun : newest);
    sink.start(from);
    sink.gap(from, 'The host was restored to an earlier time; read your bots again, then continue from here.');
    return () => undefined;
  }
  sink.start(String(cursor ?? newest));
  while (cursor !== null) {
    const events = s.events.after(who.userId, cursor, REPLAY_PAGE);
    const own = events.filter((event) => reaches(who, event.bot_id));
    for (const event of own) if (!sink.push(String(event.event_id), event)) return () => undefined;
    cursor = events.length === REPLAY_PAGE ? (events.at(-1)?.event_id ?? null) : null;
  }
  const unsubscribe = s.bus.subscribe((event, owner) => {
    if (owner === who.userId && reaches(who, event.bot_id) && !sink.push(String(event.event_id), event)) unsubscribe();
  });
  return unsubscribe;
}

/**
 * Returns the number of the line after which a live stream starts: the cursor, or the line before the last `tail` lines
 * (0 if none is stored); null starts the stream with the next line.
 */
async function startOf(s: Services, { bot_id, after, tail }: LiveQuery): Promise<number | null> {
  if (after !== undefined) return after;
  if (tail === undefined || tail === 0) return null;
  const { entries } = await s.telemetry.logs({ bot_id, limit: tail });
  const [oldest] = entries;
  return oldest === undefined ? 0 : oldest.seq - 1;
}

const cursorOf = (batch: LiveBatch): number => ('gap' in batch ? batch.gap.from_seq : batch.seq);

/** Log lines and metrics of one bot, live; ends when the bot is deleted. */
async function streamLogs(s: Services, who: Reach, query: LiveQuery, sink: StreamSink): Promise<() => void> {
  const { botId } = ownBot(s.bots, who, query.bot_id);
  const unsubscribe = s.bus.subscribe((event) => {
    if (event.bot_id === botId && event.kind === 'deleted') sink.end();
  });
  try {
    const end = await s.telemetry.subscribe(botId, await startOf(s, query), {
      start: (seq) => sink.start(String(seq)),
      push: (batch) => {
        const taken = sink.push(String(cursorOf(batch)), batch);
        // Nothing follows a gap: the reader opens a new stream and reads on from there.
        if ('gap' in batch) sink.end();
        return taken;
      },
    });
    return () => {
      unsubscribe();
      end();
    };
  } catch (error) {
    unsubscribe();
    throw error;
  }
}

/** Which books of a user have changed, live. There is nothing to resume: a reader that was away reads everything again. */
function streamLedger({ bots, telemetry }: Services, who: Reach, sink: StreamSink): () => void {
  sink.start('0');
  const end = telemetry.followLedger((changed) => {
    const own = changed?.filter(({ botId }) => reaches(who, botId) && bots.get(botId)?.userId === who.userId) ?? [];
    if (changed !== null && own.length === 0) return;
    const items = own.map(({ botId, booked }) => ({ bot_id: botId, booked }));
    if (!sink.push('0', { items, incomplete: changed === null } satisfies LedgerChanges)) end();
  });
  return end;
}

/** Streams of bots. */
export function botStreams(s: Services): Pick<StreamHandlers, 'bots.stream' | 'logs.stream' | 'ledger.stream'> {
  return {
    'ledger.stream': (_, caller, sink) => streamLedger(s, caller, sink),
    'bots.stream': (input, caller, sink) => streamEvents(s, caller, input, sink),
    'logs.stream': (input, caller, sink) => streamLogs(s, caller, input, sink),
  };
}
