import type { JsonObject } from '../../../contract/common.ts';
import { isLedgerType } from '../ledger/vocabulary.ts';
import { classify, INFO, parseJsonLine } from './classify-json-line.ts';
import type { BotMasker, LineStream } from './create-bot-masker.ts';
import { MASK } from './mask/spans.ts';
import { ledgerRowText } from './mask-ledger-row.ts';
import { metricPoints, symbolsIn } from './metric-points.ts';
import { textLevel } from './text-level.ts';

/** A line ready to be stored: masked, classified. `fields` and `data` are JSON text. */
export type TakenLine =
  | {
      readonly kind: 'log';
      readonly level: number;
      readonly time: number | null;
      readonly line: string;
      readonly fields: string | null;
      readonly masked: number;
    }
  | {
      readonly kind: 'metric';
      readonly type: string;
      readonly time: number | null;
      readonly data: string;
      readonly symbol: string | null;
      /** Every symbol that the metric names, with or without a number beside it. */
      readonly symbols: readonly string[];
      readonly values: readonly (readonly [field: string, value: number])[];
    };

/** Takes a whole line. `flagged`: the keyword automaton found that it may hold a secret; other lines are not searched again. */
export function takeLine(line: string, flagged: boolean, stream: LineStream, masker: BotMasker): TakenLine {
  return takeJson(line, flagged, stream, masker) ?? takeText(line, flagged, stream);
}

/** A piece of a line that is longer than one entry: text whatever it looks like. `level` is the first piece's. */
export function takePiece(
  text: string,
  flagged: boolean,
  hidden: boolean,
  level: number | undefined,
  stream: LineStream,
): TakenLine {
  if (!hidden) return takeText(text, flagged, stream, level);
  // The stream must still learn of a key block that begins here.
  stream.mask(text);
  return { kind: 'log', level: level ?? INFO, time: null, line: MASK, fields: null, masked: 1 };
}

function takeText(line: string, flagged: boolean, stream: LineStream, level?: number): TakenLine {
  const { text, spans } = flagged || stream.open ? stream.mask(line) : { text: line, spans: 0 };
  return { kind: 'log', level: level ?? textLevel(line), time: null, line: text, fields: null, masked: spans };
}

function takeJson(line: string, flagged: boolean, stream: LineStream, masker: BotMasker): TakenLine | null {
  const object = parseJsonLine(line);
  if (object === null) return null;
  // The keyword automaton saw the escaped text: `\u0061` may stand for any letter of a secret, so any escape requires a check.
  const suspect = flagged || stream.open || line.includes('\\');
  const meaning = classify(object);
  if (meaning?.kind === 'metric') return takeMetric(line, object, meaning, suspect ? masker : null);
  const maskJson = (value: JsonObject) => (suspect ? masker.maskJson(value) : { value, spans: 0 });
  if (meaning === null) {
    const { value, spans } = maskJson(object);
    if (spans === 0) return null;
    return { kind: 'log', level: INFO, time: null, line: JSON.stringify(value), fields: null, masked: spans };
  }
  const message = meaning.message.toWellFormed();
  const { text, spans } = suspect ? stream.mask(message) : { text: message, spans: 0 };
  const fields = meaning.fields === null ? null : maskJson(meaning.fields);
  return {
    kind: 'log',
    level: meaning.level,
    time: meaning.time,
    line: text,
    fields: fields === null ? null : JSON.stringify(fields.value),
    masked: spans + (fields?.spans ?? 0),
  };
}

function takeMetric(
  line: string,
  object: JsonObject,
  meaning: { readonly type: string; readonly time: number | null },
  masker: BotMasker | null,
): TakenLine {
  const isRow = isLedgerType(meaning.type);
  const masked = (isRow ? masker?.maskRow(object) : masker?.maskJson(object)) ?? { value: object, spans: 0 };
  // An unmasked metric is stored as the bot wrote it, because serialising it costs more than storing it. But the object
  // keeps only the last of two equal keys, and the text may hold a secret in the other.
  const asWritten = masked.spans === 0 && (masker === null || masker.mask(line).text === line);
  const data = asWritten ? line : isRow ? ledgerRowText(line, masked.value) : JSON.stringify(masked.value);
  const type = masked.spans === 0 ? meaning.type : String(masked.value._metric);
  const { symbol, values } = metricPoints(masked.value, meaning.time);
  const symbols = symbolsIn(masked.value);
  return { kind: 'metric', type: type.toWellFormed(), time: meaning.time, data, symbol, symbols, values };
}
