import type { LogEntry, MetricEvent } from '../../../contract/telemetry.ts';
import { isLedgerType } from '../ledger/vocabulary.ts';
import type { BotMasker } from './create-bot-masker.ts';

/** A stored line under today's rules and secrets; `masked` counts old and new places. */
export function maskEntry(entry: LogEntry, masker: BotMasker): LogEntry {
  const text = masker.mask(entry.message);
  const fields = entry.fields === null ? null : masker.maskJson(entry.fields);
  // Text masked at write is found again and stays: no new place.
  const changed = text.text !== entry.message;
  if (!changed && (fields === null || fields.spans === 0)) return entry;
  const spans = (changed ? text.spans : 0) + (fields?.spans ?? 0);
  return { ...entry, message: text.text, fields: fields?.value ?? null, masked: entry.masked + spans };
}

/** A stored metric under today's rules and secrets. */
export function maskEvent(event: MetricEvent, masker: BotMasker): MetricEvent {
  const data = isLedgerType(event.type) ? masker.maskRow(event.data) : masker.maskJson(event.data);
  return data.spans === 0 ? event : { ...event, data: data.value };
}
