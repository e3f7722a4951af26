import type { Bot, Run } from '../contract/bot.ts';
import { describeCron } from '../isomorphic/cron-describe.ts';
import { formatDuration, formatRelative } from '../isomorphic/duration.ts';
import { paint, printable } from './text.ts';

const SIGNS: Readonly<Record<Bot['status'], readonly [string, 'green' | 'yellow' | 'red' | 'blue' | 'dim']>> = {
  running: ['●', 'green'],
  starting: ['◐', 'yellow'],
  stopping: ['◐', 'yellow'],
  backing_off: ['▲', 'yellow'],
  failed: ['✖', 'red'],
  scheduled: ['◷', 'blue'],
  stopped: ['○', 'dim'],
};

/** A status as sign and word: never by colour alone. */
export function statusText(status: Bot['status'], colours: boolean): string {
  const [sign, style] = SIGNS[status];
  return paint(colours, style, `${sign} ${status.replace('_', ' ')}`);
}

/** A schedule in words with the expression, or null for a realtime bot. */
export function scheduleText(schedule: string | null): string | null {
  return schedule === null ? null : `${describeCron(schedule)} (${schedule}, UTC)`;
}

/** A schedule in words alone, for a table; '' for a realtime bot. */
export function scheduleWords(schedule: string | null): string {
  return schedule === null ? '' : describeCron(schedule);
}

/** What matters about a bot right now, in a few words. */
export function nowText(bot: Bot, now: number): string {
  if (bot.status === 'running' && bot.started_at !== null)
    return `up ${formatDuration(now - Date.parse(bot.started_at))}`;
  if (bot.status === 'backing_off' && bot.next_attempt_at !== null) {
    return `again ${formatRelative(Date.parse(bot.next_attempt_at), now)}`;
  }
  if (bot.status === 'scheduled' && bot.next_run_at !== null) {
    return `next ${formatRelative(Date.parse(bot.next_run_at), now)}`;
  }
  return bot.reason?.message ?? '';
}

/** How a run ended, in a few words. */
export function runText(run: Pick<Run, 'status' | 'exit_code' | 'signal'>): string {
  if (run.signal !== null) return `${run.status} (${run.signal})`;
  return run.exit_code === null || run.exit_code === 0 ? run.status : `${run.status} (exit ${run.exit_code})`;
}

/** A bot as lines of name and value. */
export function botLines(bot: Bot, now: number, colours: boolean): string[] {
  const last = bot.last_run;
  const rows: [string, string | null][] = [
    ['id', bot.bot_id],
    ['custom bot', `${bot.type} ${bot.version}`],
    [
      'status',
      `${statusText(bot.status, colours)}${bot.enabled ? '' : ' (disabled)'}  ${printable(nowText(bot, now))}`,
    ],
    ['reason', bot.reason === null ? null : `${bot.reason.code}: ${printable(bot.reason.message)}`],
    ['what to do', bot.reason?.hint ?? null],
    ['schedule', scheduleText(bot.schedule)],
    ['next run', bot.next_run_at],
    ['last run', last === null ? null : `${runText(last)}  ${last.ended_at ?? last.started_at ?? ''}`],
    ['restarts', bot.restarts === 0 ? null : String(bot.restarts)],
    ['config', printable(JSON.stringify(bot.config))],
    ['page', bot.url],
  ];
  const shown = rows.flatMap(([name, value]) =>
    value === null || value === '' ? [] : [`  ${name.padEnd(11)} ${value}`],
  );
  return [paint(colours, 'bold', printable(bot.name)), ...shown];
}
