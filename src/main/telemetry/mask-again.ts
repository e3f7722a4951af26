import type { LogEntry, MetricEvent } from '../../contract/telemetry.ts';
import type { LineStream } from './bot-masker.ts';

/** A stored line under today's rules and secrets (wire.md section 10); `masked` counts old and new places. */
export function maskEntry(entry: LogEntry, stream: LineStream): LogEntry {
  const text = stream.mask(entry.message);
  const fields = entry.fields === null ? null : stream.maskJson(entry.fields);
  const spans = text.spans + (fields?.spans ?? 0);
  if (spans === 0) return entry;
  return { ...entry, message: text.text, fields: fields?.value ?? null, masked: entry.masked + spans };
}

/** A stored metric under today's rules and secrets. */
export function maskEvent(event: MetricEvent, stream: LineStream): MetricEvent {
  const data = stream.maskJson(event.data);
  return data.spans === 0 ? event : { ...event, data: data.value };
}
