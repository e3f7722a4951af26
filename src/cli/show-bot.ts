import type { Bot, Run } from '../contract/bot.ts';
import { armingText } from '../shared/arming-words.ts';
import { describeCron } from '../shared/cron-describe.ts';
import { formatDuration, formatRelative } from '../shared/format-quantity.ts';
import { healthWords } from '../shared/health.ts';
import { isJsonObject } from '../shared/json.ts';
import { DEFAULT_TIMEZONE } from '../shared/schedule.ts';
import { type CommandName, commandName, typed, typedHint } from './copyable-command.ts';
import { cut, paint, printable } from './terminal-text.ts';

const SIGNS: Readonly<Record<Bot['status'], string>> = {
  running: '●',
  starting: '◐',
  stopping: '◐',
  backing_off: '▲',
  failed: '✖',
  scheduled: '◷',
  stopped: '○',
};

const COLOURS = { running: 'green', warning: 'yellow', failed: 'red', scheduled: 'blue', stopped: 'dim' } as const;

const RESULT_CHARS = 200;

/** Renders the health of a bot as sign and words: never by colour alone. */
export function statusText(bot: Pick<Bot, 'status' | 'health'> & Partial<Pick<Bot, 'hold'>>, colours: boolean): string {
  const { tone, words } = healthWords(bot);
  const sign =
    tone === 'failed' ? SIGNS.failed : words.startsWith('recovering') ? SIGNS.backing_off : SIGNS[bot.status];
  return paint(colours, COLOURS[tone], `${sign} ${words}`);
}

/** A schedule in words with the expression, or null for a realtime bot. */
export function scheduleText({ schedule, timezone }: Pick<Bot, 'schedule' | 'timezone'>): string | null {
  const zone = timezone ?? DEFAULT_TIMEZONE;
  return schedule === null ? null : `${describeCron(schedule, zone)} (${schedule}, ${zone})`;
}

/** A schedule in words alone, for a table; '' for a realtime bot. */
export function scheduleWords({ schedule, timezone }: Pick<Bot, 'schedule' | 'timezone'>): string {
  return schedule === null ? '' : describeCron(schedule, timezone ?? DEFAULT_TIMEZONE);
}

/** Renders a time to come: `now` where it is due or about to be. */
function whenText(at: string, now: number): string {
  const ms = Date.parse(at);
  return ms - now < 1000 ? 'now' : formatRelative(ms, now).replace('just now', 'in a moment');
}

/** True if the run that ended last went wrong. */
function lastRunFailed({ last_run }: Bot): boolean {
  return last_run !== null && ['failed', 'timed_out', 'lost'].includes(last_run.status);
}

/** Describes what matters about a bot right now, in a few words. */
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

/** Describes the end of a run, in a few words. */
export function runText(run: Pick<Run, 'status' | 'exit_code' | 'signal'>): string {
  if (run.signal !== null) return `${run.status} (${run.signal})`;
  return run.exit_code === null || run.exit_code === 0 ? run.status : `${run.status} (exit ${run.exit_code})`;
}

/** Returns a hint about this bot, with the commands in it as they are typed here. */
function hintText(bot: Bot, hint: string, name: CommandName | undefined): string {
  return printable(name === undefined ? hint : typedHint({ ...name, bot: bot.name }, hint));
}

/** The result that a bot wrote with `success`, `error` or `result`; '' without one. */
export function resultText(result: unknown): string {
  if (result === null || result === undefined) return '';
  const said = isJsonObject(result) && typeof result.message === 'string' ? result.message : result;
  return printable(typeof said === 'string' ? said : JSON.stringify(said));
}

/** The change of a bot that waits for a person, in a line. */
function approvalText(
  { status, asked_by, changes }: NonNullable<Bot['approval']>,
  bot: string,
  name: CommandName | undefined,
) {
  const what = printable(`${asked_by} asked for: ${changes.join('; ')}`);
  const outdated = status === 'outdated' ? ' (the bot has changed since)' : '';
  return `${what}${outdated}. ${typed(name ?? commandName({}), 'approvals show', bot)}`;
}

/** What is to be said about how far a bot is isolated; null for a plain process. */
function isolationText({ isolation, isolation_exception: exception }: Bot): string | null {
  if (exception !== null) return `exception: ${exception.message}`;
  if (isolation === 'partial') return 'partial: its network is not limited on this machine (see `platform doctor`)';
  return isolation === 'none' ? null : isolation;
}

/** Renders a bot as lines of name and value; `name` gives the form of commands, `failure` takes the place of its hint. */
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
  // Its status already says that it was stopped on request.
  const asked = bot.reason?.code === 'DISABLED';
  // Between two failures the bot runs; the reason of the failure matters then, too.
  const reason = asked ? null : (bot.reason ?? bot.health.reason);
  const start = asked ? 'Start it again with `platform bot start`.' : '';
  // Where there is no other activity the text is the reason, which has a line of its own.
  const doing = current === '' || current === bot.reason?.message ? '' : `  ${printable(current)}`;
  const rows: (readonly [string, string | null])[] = [
    ['id', bot.bot_id],
    ['custom bot', `${bot.type} ${bot.version}`],
    ['status', `${statusText(bot, colours)}${bot.enabled ? '' : ' (disabled)'}${doing}`],
    ['mode', last?.mode ?? null],
    ['reason', reason === null ? null : `${reason.code}: ${printable(reason.message)}`],
    ...(failure ?? [['what to do', hintText(bot, reason === null ? start : (reason.hint ?? ''), name)] as const]),
    [
      'held',
      bot.hold === null
        ? null
        : `${bot.hold.by}, since ${bot.hold.since}${bot.hold.who === null ? '' : `, by ${printable(bot.hold.who)}`}`,
    ],
    ['live', bot.arming === null ? null : printable(armingText(bot.arming, { now, zone: 'local' }))],
    ['waits', bot.approval === null ? null : approvalText(bot.approval, bot.name, name)],
    ['schedule', scheduleText(bot)],
    ['next run', bot.next_run_at],
    ['last run', last === null ? null : `${runText(last)}  ${last.ended_at ?? last.started_at ?? ''}`],
    ['result', said === bot.reason?.message ? null : cut(said, RESULT_CHARS)],
    ['engine', bot.engine],
    ['isolation', isolationText(bot)],
    ['open', bot.exposure === null ? null : `${bot.exposure.message}. ${bot.exposure.hint ?? ''}`],
    ['generation', String(bot.generation)],
    ['restarts', bot.restarts === 0 ? null : String(bot.restarts)],
    ['config', printable(JSON.stringify(bot.config))],
    ['page', bot.url],
  ];
  const shown = rows.flatMap(([name, value]) =>
    value === null || value === '' ? [] : [`  ${name.padEnd(11)} ${value}`],
  );
  return [paint(colours, 'bold', printable(bot.name)), ...shown];
}
