import type { Bot, Run } from '../contract/bot.ts';
import { describeCron } from '../isomorphic/cron-describe.ts';
import { formatDuration, formatRelative } from '../isomorphic/duration.ts';
import { isJsonObject } from '../isomorphic/json.ts';
import { statusWords } from '../isomorphic/status-words.ts';
import { type CommandName, typedHint } from './command-name.ts';
import { cut, paint, printable } from './text.ts';

const SIGNS: Readonly<Record<Bot['status'], readonly [string, 'green' | 'yellow' | 'red' | 'blue' | 'dim']>> = {
  running: ['●', 'green'],
  starting: ['◐', 'yellow'],
  stopping: ['◐', 'yellow'],
  backing_off: ['▲', 'yellow'],
  failed: ['✖', 'red'],
  scheduled: ['◷', 'blue'],
  stopped: ['○', 'dim'],
};

const RESULT_CHARS = 200;

/** A status as sign and word: never by colour alone. */
export function statusText(status: Bot['status'], colours: boolean): string {
  const [sign, style] = SIGNS[status];
  return paint(colours, style, `${sign} ${statusWords(status)}`);
}

/** A schedule in words with the expression, or null for a realtime bot. */
export function scheduleText(schedule: string | null): string | null {
  return schedule === null ? null : `${describeCron(schedule)} (${schedule}, UTC)`;
}

/** A schedule in words alone, for a table; '' for a realtime bot. */
export function scheduleWords(schedule: string | null): string {
  return schedule === null ? '' : describeCron(schedule);
}

/** When something comes: `now` where it is due or about to be. */
function whenText(at: string, now: number): string {
  const ms = Date.parse(at);
  return ms - now < 1000 ? 'now' : formatRelative(ms, now).replace('just now', 'in a moment');
}

/** Whether the run that ended last went wrong. */
function lastRunFailed({ last_run }: Bot): boolean {
  return last_run !== null && ['failed', 'timed_out', 'lost'].includes(last_run.status);
}

/** What matters about a bot right now, in a few words. */
export function nowText(bot: Bot, now: number): string {
  if (bot.status === 'running' && bot.started_at !== null)
    return `up ${formatDuration(now - Date.parse(bot.started_at))}`;
  if (bot.status === 'backing_off' && bot.next_attempt_at !== null) {
    return `trying again ${whenText(bot.next_attempt_at, now)}`;
  }
  if (bot.status === 'scheduled' && bot.next_run_at !== null) {
    const next = Date.parse(bot.next_run_at) <= now ? 'due now' : `next ${whenText(bot.next_run_at, now)}`;
    return lastRunFailed(bot) ? `${next}, last run ${bot.last_run?.status.replace('_', ' ')}` : next;
  }
  return bot.reason?.message ?? '';
}

/** How a run ended, in a few words. */
export function runText(run: Pick<Run, 'status' | 'exit_code' | 'signal'>): string {
  if (run.signal !== null) return `${run.status} (${run.signal})`;
  return run.exit_code === null || run.exit_code === 0 ? run.status : `${run.status} (exit ${run.exit_code})`;
}

/** What to do, with the commands in it as they are typed here, about this bot. */
function hintText(bot: Bot, hint: string, name: CommandName | undefined): string {
  return printable(name === undefined ? hint : typedHint({ ...name, bot: bot.name }, hint));
}

/** What a bot said at the end of its run, by `success`, `error` or `result`; '' without one. */
export function resultText(result: unknown): string {
  if (result === null || result === undefined) return '';
  const said = isJsonObject(result) && typeof result.message === 'string' ? result.message : result;
  return printable(typeof said === 'string' ? said : JSON.stringify(said));
}

/** A bot as lines of name and value; `name` says how commands are written, `failure` takes the place of its hint. */
export function botLines(
  bot: Bot,
  now: number,
  colours: boolean,
  name?: CommandName,
  failure: readonly (readonly [string, string])[] | null = null,
): string[] {
  const last = bot.last_run;
  const said = resultText(last?.result);
  const current = nowText(bot, now);
  // That it was stopped on request is told by its status already.
  const asked = bot.reason?.code === 'DISABLED';
  const reason = asked ? null : bot.reason;
  const start = asked ? 'Start it again with `platform bot start`.' : '';
  // Without anything else to say it is the reason, which has a line of its own.
  const doing = current === '' || current === bot.reason?.message ? '' : `  ${printable(current)}`;
  const rows: (readonly [string, string | null])[] = [
    ['id', bot.bot_id],
    ['custom bot', `${bot.type} ${bot.version}`],
    ['status', `${statusText(bot.status, colours)}${bot.enabled ? '' : ' (disabled)'}${doing}`],
    ['reason', reason === null ? null : `${reason.code}: ${printable(reason.message)}`],
    ...(failure ?? [['what to do', hintText(bot, reason === null ? start : (reason.hint ?? ''), name)] as const]),
    ['schedule', scheduleText(bot.schedule)],
    ['next run', bot.next_run_at],
    ['last run', last === null ? null : `${runText(last)}  ${last.ended_at ?? last.started_at ?? ''}`],
    ['result', said === bot.reason?.message ? null : cut(said, RESULT_CHARS)],
    ['engine', bot.engine],
    ['restarts', bot.restarts === 0 ? null : String(bot.restarts)],
    ['config', printable(JSON.stringify(bot.config))],
    ['page', bot.url],
  ];
  const shown = rows.flatMap(([name, value]) =>
    value === null || value === '' ? [] : [`  ${name.padEnd(11)} ${value}`],
  );
  return [paint(colours, 'bold', printable(bot.name)), ...shown];
}
