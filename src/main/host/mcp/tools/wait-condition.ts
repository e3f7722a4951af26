import { z } from 'zod';
import { type Bot, type BotEvent, BotStatus, HealthState } from '../../../../contract/bot.ts';
import { LOG_LEVELS, type LogEntry, LogLevel, type MetricEvent } from '../../../../contract/telemetry.ts';
import { cut, metricData } from '../answer-size.ts';
import { inTools } from '../tool-words.ts';
import { visible } from '../untrusted.ts';
import { logLine } from './records.ts';

const REASON_BYTES = 300;

const Comparison = z.strictObject({
  field: z
    .string()
    .min(1)
    .max(200)
    .meta({ description: 'Field of the metric.', examples: ['action', 'price'] }),
  equals: z
    .union([z.string().max(1000), z.number(), z.boolean()])
    .optional()
    .meta({ description: 'It is exactly this.' }),
  above: z.number().optional().meta({ description: 'It is a number greater than this.' }),
  below: z.number().optional().meta({ description: 'It is a number smaller than this.' }),
});
type Comparison = z.infer<typeof Comparison>;

/** The awaited behaviour of a bot; exactly one of the fields. */
export const Until = z
  .strictObject({
    metric: z
      .strictObject({
        type: z
          .string()
          .min(1)
          .max(200)
          .meta({ description: 'Type of the metric; metrics_get lists those of a bot.', examples: ['signal'] }),
        where: z
          .array(
            Comparison.refine(({ equals, above, below }) => [equals, above, below].some((one) => one !== undefined), {
              error: 'needs equals, above or below',
            }),
          )
          .max(5)
          .optional()
          .meta({ description: 'What its fields must be, all of it; left out: any metric of the type.' }),
      })
      .optional()
      .meta({ description: 'It emits a metric, such as the next signal.' }),
    line: z
      .strictObject({
        text: z.string().min(1).max(500).meta({ description: 'The line has this text, any case.' }),
        level: LogLevel.optional().meta({ description: 'This level and above.' }),
      })
      .optional()
      .meta({ description: 'It logs a line.' }),
    status: BotStatus.optional().meta({ description: 'It is, or becomes, this.' }),
    health: HealthState.optional().meta({ description: 'It is, or becomes, this.' }),
  })
  .refine((given) => Object.values(given).filter((one) => one !== undefined).length === 1, {
    error: 'needs exactly one of metric, line, status and health',
  });
export type Until = z.infer<typeof Until>;

/** The match in an assistant's form. */
export type Match = Readonly<Record<string, unknown>>;

function holds(data: MetricEvent['data'], { field, equals, above, below }: Comparison): boolean {
  const value: unknown = Object.hasOwn(data, field) ? data[field] : undefined;
  if (equals !== undefined && value !== equals) return false;
  if (above === undefined && below === undefined) return true;
  return typeof value === 'number' && (above === undefined || value > above) && (below === undefined || value < below);
}

/** A metric as part of an answer. */
export const shownMetric = ({ type, ts, run_id, data }: MetricEvent): Match => ({
  what: 'metric',
  type: visible(type),
  at: ts,
  run_id,
  ...metricData(data),
});

/** Returns the first matching row, with its seq. */
export function matchIn(
  { metric, line }: Until,
  rows: { readonly logs: readonly LogEntry[]; readonly metrics: readonly MetricEvent[] },
): { readonly seq: number; readonly match: Match } | null {
  if (metric !== undefined) {
    const { type, where = [] } = metric;
    const found = rows.metrics.find((one) => one.type === type && where.every((each) => holds(one.data, each)));
    return found === undefined ? null : { seq: found.seq, match: shownMetric(found) };
  }
  if (line === undefined) return null;
  const text = line.text.toLowerCase();
  const least = LOG_LEVELS.indexOf(line.level ?? 'debug');
  const found = rows.logs.find(
    ({ level, message }) => LOG_LEVELS.indexOf(level) >= least && message.toLowerCase().includes(text),
  );
  if (found === undefined) return null;
  const { seq, ts, level, run_id } = found;
  return { seq, match: { what: 'line', at: ts, level, run_id, line: logLine(found) } };
}

type Standing = Pick<Bot, 'status' | 'reason'> & { readonly health: HealthState; readonly at: string };

/** Returns the state of a bot, now or at an event, if it matches; else null. */
export function matchAt({ status, health }: Until, now: Standing): Match | null {
  if (now.status !== status && now.health !== health) return null;
  const { reason } = now;
  return {
    what: status === undefined ? 'health' : 'status',
    at: now.at,
    status: now.status,
    health: now.health,
    ...(reason === null
      ? {}
      : { reason_code: reason.code, reason: cut(visible(inTools(reason.message)), REASON_BYTES) }),
  };
}

/** Returns the state of the bot at an event; null for an event that does not contain it. */
export function standingAt({ status, health, reason, at }: BotEvent): Standing | null {
  return status === null || health === null ? null : { status, health, reason, at };
}
