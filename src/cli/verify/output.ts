import { LIMITS } from '../../contract/limits.ts';
import { isJsonObject } from '../../isomorphic/json.ts';
import { type Check, subject } from '../check.ts';
import type { Trial } from './trial.ts';

const lines = subject(
  'log_lines',
  'Log lines',
  'What cannot be read as it was meant is stored as plain text, without level and fields.',
);
const metrics = subject('metrics', 'Metrics', 'Charts and signals of the dashboard come from them.');
const result = subject('result', 'Result', 'It says to people and assistants how a run went.');

/** Looks at what a bot has printed. */
export async function checkOutput({ client }: Trial, botId: string): Promise<Check[]> {
  const { entries } = await client.call('logs.get', { bot_id: botId, limit: LIMITS.logsMax });
  const own = entries.filter(({ source }) => source !== 'host');
  const almost = own.find(({ message, fields, continued }) => fields === null && !continued && message.startsWith('{'));
  const broken = own.find(({ message }) => message.includes('\ufffd'));
  const long = own.filter(({ continued }) => continued).length;
  const { types } = await client.call('metrics.get', { bot_id: botId });
  const faults = [
    ...(almost === undefined
      ? []
      : [
          lines.note(
            `looks like JSON and is none of ours: ${almost.message.slice(0, 120)}`,
            'Write one object a line, with "message", "msg" or "event" as text, or "_metric".',
          ),
        ]),
    ...(broken === undefined ? [] : [lines.note(`is not UTF-8: ${broken.message.slice(0, 120)}`, 'Print UTF-8.')]),
    ...(long === 0
      ? []
      : [
          lines.note(`${long} are longer than ${LIMITS.lineBytes} bytes and were cut`, 'Print less, or several lines.'),
        ]),
  ];
  const shapeless = types.find(({ latest }) => !Object.values(latest.data).some((value) => typeof value === 'number'));
  const names = types.map(({ type, count }) => `${type} (${count})`).join(', ');
  const said =
    types.length === 0
      ? metrics.spare('none', 'metric("price", {…}) of the SDK makes one.')
      : shapeless === undefined || shapeless.type === 'signal'
        ? metrics.ok(names)
        : metrics.note(`${shapeless.type} has no number, so no chart`, 'Send numbers as numbers, not as text.');
  return [...(faults.length > 0 ? faults : [lines.ok(own.length === 0 ? 'none' : `${own.length}`)]), said];
}

/** Looks at the result of a run that went well. */
export function checkResult(value: unknown): Check {
  if (value === null || value === undefined) {
    return result.note('none was written', 'Call success("…") or result({…}) at the end of a run.');
  }
  return isJsonObject(value)
    ? result.ok(JSON.stringify(value).slice(0, 120))
    : result.note(
        `${JSON.stringify(value).slice(0, 80)} is no object`,
        'Write an object, such as {"status": "success", "message": "…"}.',
      );
}
