import { ALARM_EVENTS, ROW_EVENTS } from '../contract/alarm-choices.ts';
import type { AlarmRule, Hours } from '../contract/alarms.ts';
import { formatDuration } from './format-quantity.ts';

type Told = Omit<AlarmRule, 'rule_id' | 'sentence'>;

/** Names of bots and channels by id; null for one that is gone. */
export interface RuleNames {
  readonly bot: (id: string) => string | null;
  readonly channel: (id: string) => string | null;
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

function joined(parts: readonly string[], last: string): string {
  if (parts.length < 2) return parts[0] ?? '';
  return `${parts.slice(0, -1).join(', ')} ${last} ${parts.at(-1)}`;
}

const span = (seconds: number): string => formatDuration(seconds * 1000);

function hoursText({ from, to, zone, days }: Hours): string {
  const on =
    days === undefined || days.length === 7
      ? ''
      : ` on ${joined(
          days.map((day) => DAYS[day] ?? ''),
          'and',
        )}`;
  return `from ${from} to ${to}${on} (${zone})`;
}

function eventText(on: Told['on'][number], rule: Told): string {
  if (on === 'silent') {
    const what = rule.metric === null ? 'a bot prints nothing' : `a bot emits no metric "${rule.metric}"`;
    const when = rule.within === null ? '' : ` ${hoursText(rule.within)}`;
    return `${what} for ${span(rule.for_sec ?? 0)}${when}`;
  }
  if (on === 'metric') {
    const lines = [
      ...(rule.above === null ? [] : [`above ${rule.above}`]),
      ...(rule.below === null ? [] : [`below ${rule.below}`]),
    ];
    const samples = (rule.samples ?? 1) > 1 ? ` for ${rule.samples} samples` : '';
    return `${rule.field ?? 'value'} of metric "${rule.metric}" is ${joined(lines, 'or')}${samples}`;
  }
  if (on === 'run_too_slow' && rule.for_sec !== null) return `a run takes longer than ${span(rule.for_sec)}`;
  return ALARM_EVENTS[on];
}

/** A rule in one sentence, the same on every surface. */
export function ruleSentence(rule: Told, names: RuleNames): string {
  const bots = rule.bots?.map((id) => names.bot(id) ?? 'a bot that is gone') ?? null;
  const channels = rule.channels?.map((id) => names.channel(id) ?? 'a channel that is gone') ?? null;
  const events = joined(
    rule.on.map((on) => eventText(on, rule)),
    'or',
  );
  const extra = [
    ...(rule.at_most_every_sec === null ? [] : [`at most every ${span(rule.at_most_every_sec)}`]),
    ...(rule.quiet === null || rule.severity === 'critical' ? [] : [`quiet ${hoursText(rule.quiet)}`]),
    ...(rule.with_text ? ['with the words of the bot'] : []),
    ...(rule.enabled ? [] : ['switched off']),
  ];
  const who = bots === null ? '' : `, for ${joined(bots, 'and')}`;
  const where = channels === null ? 'over all channels' : `over ${joined(channels, 'and')}`;
  return `Tell me ${where} when ${events}${who}${extra.length === 0 ? '' : `; ${extra.join('; ')}`}.`;
}

/** True for a rule that needs the lines and metrics of its bots. */
export function needsRows({ on, enabled }: Pick<Told, 'on' | 'enabled'>): boolean {
  return enabled && on.some((event) => ROW_EVENTS.includes(event));
}
