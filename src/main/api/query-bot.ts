import { invalid, PlatformError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { QueryAnswer, QueryRequest } from '../../contract/query.ts';
import type { BotRow } from '../store/bot-store.ts';
import type { Services } from './services.ts';

/**
 * Routes a query (seed, "Query a bot"; wire.md section 5): a running realtime bot is asked on its port, a scheduled or
 * stopped one through a run of its query program that answers this one query.
 */
export async function queryBot(
  s: Services,
  bot: BotRow,
  input: QueryRequest,
  signal: AbortSignal,
): Promise<QueryAnswer> {
  const path = input.path ?? input.query_path;
  if (path === undefined) {
    throw invalid('INVALID_REQUEST', [
      { path: 'path', message: 'is missing', hint: 'Send the handler path, for example {"path":"/status"}.' },
    ]);
  }
  const timeoutMs = (input.timeout_sec ?? LIMITS.queryTimeoutSec) * 1000;
  const params = input.params ?? {};
  const [live] = bot.type === 'realtime' ? s.supervisor.liveRuns(bot.botId) : [];
  const prepared = live?.prepared ?? s.launcher.prepare(bot);
  const hasQueryEntry = prepared.code.queryEntry !== null;
  const from = s.now();
  if (live !== undefined) {
    const address = (live.query ?? live.unit).queryAddress();
    const result = await s.query.realtime({
      botId: bot.botId,
      address,
      path,
      params,
      timeoutMs,
      hasQueryEntry,
      signal,
    });
    return { result, duration_ms: s.now() - from, mode: 'server' };
  }
  const spec = s.launcher.querySpec(bot, prepared, s.newRunId());
  if (spec === null) {
    throw new PlatformError('QUERY_PATH_NOT_FOUND', `${bot.customBot} ${bot.version} has no query program`, {
      hint: 'Name one as entrypoints.query in bot-config.yaml and publish a new version.',
    });
  }
  const result = await s.query.run({ engine: s.launcher.engine, spec, path, params, timeoutMs, signal });
  return { result, duration_ms: s.now() - from, mode: 'run' };
}
