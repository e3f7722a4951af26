import { RESULT_UNREADABLE, type Run } from '../../contract/bot.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Output } from '../../contract/operations.ts';
import type { LogEntry } from '../../contract/telemetry.ts';
import { isJsonObject } from '../../shared/json.ts';
import { type Check, subject } from '../check-result.ts';
import type { Trial } from './trial.ts';

const lines = subject(
  'log_lines',
  'Log lines',
  'A line that cannot be parsed is stored as plain text, without level and fields.',
);
const metrics = subject('metrics', 'Metrics', 'Charts and signals of the dashboard come from them.');
const result = subject('result', 'Result', 'It says to people and assistants how a run went.');

/** Checks the output of a bot. */
export async function checkOutput({ client }: Pick<Trial, 'client'>, botId: string): Promise<Check[]> {
  const { entries } = await client.call('logs.get', { bot_id: botId, limit: LIMITS.logsMax });
  const { types } = await client.call('metrics.get', { bot_id: botId });
  return [...checkLines(entries.filter(({ source }) => source !== 'host')), checkMetrics(types)];
}

function checkLines(own: readonly LogEntry[]): Check[] {
  const notes: Check[] = [];
  const almost = own.find(({ message, fields, continued }) => fields === null && !continued && message.startsWith('{'));
  if (almost !== undefined) {
    notes.push(
      lines.note(
        `looks like JSON, but is not a line that the host reads: ${almost.message.slice(0, 120)}`,
        'Write one object a line, with "message", "msg" or "event" as text, or "_metric".',
      ),
    );
  }
  const broken = own.find(({ message }) => message.includes('\ufffd'));
  if (broken !== undefined) notes.push(lines.note(`is not UTF-8: ${broken.message.slice(0, 120)}`, 'Print UTF-8.'));
  const long = own.filter(({ continued }) => continued).length;
  if (long > 0) {
    const text = `${long} are longer than ${LIMITS.lineBytes} bytes and were cut`;
    notes.push(lines.note(text, 'Print less, or several lines.'));
  }
  return notes.length > 0 ? notes : [lines.ok(own.length === 0 ? 'none' : `${own.length}`)];
}

/** Types that may have no number: charts show a signal as a mark, and the ledger reads digits as text. */
const WITHOUT_NUMBER: ReadonlySet<string> = new Set([
  'signal',
  'order',
  'fill',
  'trade',
  'position',
  'equity',
  'portfolio_value',
  'cash_flow',
  'adjustment',
  'rate',
  'price',
]);

function checkMetrics(types: Output<'metrics.get'>['types']): Check {
  if (types.length === 0) return metrics.spare('none', 'metric("price", {…}) of the SDK makes one.');
  const shapeless = types.find(
    ({ type, latest }) =>
      !WITHOUT_NUMBER.has(type) && !Object.values(latest.data).some((value) => typeof value === 'number'),
  );
  if (shapeless === undefined) return metrics.ok(types.map(({ type, count }) => `${type} (${count})`).join(', '));
  return metrics.note(`${shapeless.type} has no number, so no chart`, 'Send numbers as numbers, not as text.');
}

/** Looks at the result of a run that went well. */
export function checkResult({ result: value, reason }: Pick<Run, 'result' | 'reason'>): Check {
  if (reason?.code === RESULT_UNREADABLE) return result.fault(reason.message, reason.hint ?? '');
  if (value === null || value === undefined) {
    return result.note('none was written', 'Call success("…") or result({…}) at the end of a run.');
  }
  return isJsonObject(value)
    ? result.ok(JSON.stringify(value).slice(0, 120))
    : result.note(
        `${JSON.stringify(value).slice(0, 80)} is not an object`,
        'Write an object, such as {"status": "success", "message": "…"}.',
      );
}
