import type { Severity } from '../../../contract/alarm-choices.ts';
import { SEVERITIES } from '../../../contract/alarm-choices.ts';
import { toTimestamp } from '../../../contract/common.ts';
import { formatDuration } from '../../../shared/format-quantity.ts';
import type { WaitingRow } from '../control/alarm-store.ts';
import { cut } from './words.ts';

/** A message that is later than this says so. */
const LATE_MS = 60_000;
/** Alarms that a digest names; it counts the others. */
const NAMED = 20;

/** One alarm within a message. */
export interface MessageItem {
  readonly alarm_id: string;
  readonly event: string;
  readonly severity: Severity;
  readonly bot_id: string | null;
  readonly at: string;
  readonly title: string;
  readonly text: string;
}

/** What a channel is asked to send; repeats carry the same id. */
export interface Message {
  readonly id: string;
  /** When it happened; of a digest the first alarm. */
  readonly at: string;
  readonly severity: Severity;
  readonly title: string;
  readonly text: string;
  /** When it happened and why it comes late; null for a message in time. */
  readonly late: string | null;
  readonly items: readonly MessageItem[];
}

/** Why messages may be late, beside what their deliveries say. */
export interface Lateness {
  readonly now: number;
  /** The channel failed before. */
  readonly wasDown: boolean;
  readonly hostStartedAt: number;
}

function lateness(rows: readonly WaitingRow[], { now, wasDown, hostStartedAt }: Lateness): string | null {
  const first = Math.min(...rows.map(({ at }) => at));
  const age = now - first;
  if (age <= LATE_MS) return null;
  const delayed = rows.find((row) => row.delayed !== null)?.delayed;
  const why =
    delayed ??
    (wasDown
      ? 'the channel could not be reached until now'
      : first < hostStartedAt
        ? 'the host did not run in between'
        : 'many messages came at once');
  return `Late: this happened at ${toTimestamp(first)}, ${formatDuration(age)} ago; ${why}.`;
}

const itemOf = ({ alarm_id, event, severity, bot_id, at, title, text }: WaitingRow): MessageItem => ({
  ...{ alarm_id, event, severity, bot_id, title, text },
  at: toTimestamp(at),
});

/** Makes one message of the deliveries that are sent together, oldest first. */
export function messageOf(id: string, rows: readonly WaitingRow[], late: Lateness): Message {
  const items = rows.map(itemOf);
  const severity = SEVERITIES[Math.max(0, ...items.map((item) => SEVERITIES.indexOf(item.severity)))] ?? 'info';
  const [first] = items;
  const common = { id, severity, at: first?.at ?? toTimestamp(late.now), late: lateness(rows, late), items };
  if (first !== undefined && items.length === 1) return { ...common, title: first.title, text: first.text };
  const named = items.slice(0, NAMED).map((item) => `${item.at.slice(11, 19)} ${item.title}`);
  const more = items.length > NAMED ? [`and ${items.length - NAMED} more: \`platform alarms log\` has them all`] : [];
  return { ...common, title: `${items.length} alarms`, text: [...named, ...more].join('\n') };
}

/** The message as plain text of at most `max` characters, with its title. */
export function plainText({ title, text, late }: Message, max: number): string {
  const tail = late === null ? '' : `\n${late}`;
  return `${cut(`${title}\n${text}`, max - [...tail].length)}${tail}`;
}

/** The message without its title, of at most `max` characters. */
export function bodyText({ text, late }: Message, max: number): string {
  const tail = late === null ? '' : `\n${late}`;
  return `${cut(text, max - [...tail].length)}${tail}`;
}
