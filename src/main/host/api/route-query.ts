import { invalid, PlatformError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { QueryAnswer, QueryRequest } from '../../../contract/query.ts';
import { listeningOf } from '../bots/live-run.ts';
import { botSecrets } from '../bots/redacted-config.ts';
import type { BotRow } from '../control/bot-store.ts';
import type { UnitSpec } from '../engine/engine.ts';
import { maskerOf, type TextMasker } from '../logs/mask/masker.ts';
import type { Services } from './services.ts';

/** In these states a program of the bot may run that is not recorded yet, or not any more. */
const AT_WORK: ReadonlySet<string> = new Set(['running', 'stopping']);

/**
 * Routes a query: a running realtime bot answers on its port, a scheduled or stopped one through a run of its query
 * program for this one query (docs/api.md#query-a-bot). Secret values of the bot's config are hidden in the answer.
 */
export async function queryBot(s: Services, bot: BotRow, input: QueryRequest): Promise<QueryAnswer> {
  const { answer, masker } = await ask(s, bot, input);
  return { ...answer, result: masker.hideValues(answer.result) };
}

async function ask(
  s: Services,
  bot: BotRow,
  input: QueryRequest,
): Promise<{ answer: QueryAnswer; masker: TextMasker }> {
  const path = input.path ?? input.query_path;
  if (path === undefined) {
    throw invalid('INVALID_REQUEST', [
      { path: 'path', message: 'is missing', hint: 'Send the handler path, for example {"path":"/status"}.' },
    ]);
  }
  const query = {
    path,
    params: input.params ?? {},
    timeoutMs: (input.timeout_sec ?? LIMITS.queryTimeoutSec) * 1000,
  };
  const [live] = bot.type === 'realtime' ? s.supervisor.liveRuns(bot.botId) : [];
  const prepared = live?.prepared ?? s.unitSpecs.prepare(bot);
  // Both lists stay the same objects, so that their masker is made once.
  const masker = maskerOf(live?.secrets ?? botSecrets(s.unitSpecs, bot));
  const mask = (text: string): string => masker.maskText(text);
  if (live !== undefined && s.unitSpecs.servesQueries(bot)) {
    const program = live.query ?? live.unit;
    const listening = () => listeningOf(live);
    const connect = () => program.connectQuery();
    const refreshState = async (): Promise<void> => program.refreshState?.();
    const target = {
      connect,
      refreshState,
      token: live.queryToken,
      program,
      listening,
      hasQueryEntry: prepared.code.queryEntry !== null,
      mask,
    };
    return { answer: await s.query.realtime(target, query), masker };
  }
  // Before the secrets of the bot are opened: none of them waits for this.
  await s.unitSpecs.tryAgain(bot);
  // A query program is a program of the bot like any other.
  s.copiedFolder.assertHere();
  const spec = s.unitSpecs.querySpec(bot, prepared, s.newRunId());
  if (spec === null) {
    const why =
      bot.options.network === 'none' ? 'The bot has no network (options.network), so its port cannot be reached. ' : '';
    throw new PlatformError('QUERY_PATH_NOT_FOUND', `${bot.customBot} ${bot.version} has no query program`, {
      hint: `${why}Name one as entrypoints.query in bot-config.yaml and publish a new version.`,
    });
  }
  const engine = s.unitSpecs.engineOf(bot);
  const isThere = (): boolean => {
    const now = s.bots.get(bot.botId);
    return now !== null && !now.deleting && now.trash === null;
  };
  const isAtRest = (): boolean =>
    s.supervisor.liveRuns(bot.botId).length === 0 && !AT_WORK.has(s.bots.get(bot.botId)?.status ?? '');
  const another = (): UnitSpec | null => s.unitSpecs.querySpec(bot, prepared, s.newRunId());
  const run = { engine, spec, mask, isThere, isAtRest, ...(prepared.code.prewarmsQueries ? { another } : {}) };
  return { answer: await s.query.run(run, query), masker };
}
