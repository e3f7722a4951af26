import type { LineStream } from './bot-masker.ts';
import { classify, INFO, metricData, parseJsonLine, textLevel } from './classify.ts';
import { metricPoints } from './metric-points.ts';

const HIDDEN_TEXT = '***';

/** A line ready to be stored: masked, classified (wire.md sections 4 and 10). `fields` and `data` are JSON text. */
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
      readonly values: readonly (readonly [field: string, value: number])[];
    };

/** A whole line. `flagged` is the gate's word that it may hold a secret; a line without it is not searched again. */
export function takeLine(line: string, flagged: boolean, stream: LineStream): TakenLine {
  return takeJson(line, flagged, stream) ?? takeText(line, flagged, stream);
}

/** A piece of a line that is longer than one entry: text whatever it looks like. `level` is the first piece's; undefined for that one. */
export function takePiece(
  text: string,
  flagged: boolean,
  hidden: boolean,
  level: number | undefined,
  stream: LineStream,
): TakenLine {
  if (!hidden) return takeText(text, flagged, stream, level);
  // What the stream must know of it (a key block that begins here) it still learns.
  stream.mask(text);
  return { kind: 'log', level: level ?? INFO, time: null, line: HIDDEN_TEXT, fields: null, masked: 1 };
}

function takeText(line: string, flagged: boolean, stream: LineStream, level?: number): TakenLine {
  const text = flagged || stream.open ? stream.mask(line) : { text: line, spans: 0 };
  return {
    kind: 'log',
    level: level ?? textLevel(line),
    time: null,
    line: text.text,
    fields: null,
    masked: text.spans,
  };
}

function takeJson(line: string, flagged: boolean, stream: LineStream): TakenLine | null {
  const parsed = parseJsonLine(line);
  if (parsed === null) return null;
  // The gate saw the escaped text: `\u0061` may stand for any letter of a secret, so an escape asks for a look.
  const suspect = flagged || stream.open || line.includes('\\');
  const masked = suspect ? stream.maskJson(parsed) : { value: parsed, spans: 0 };
  const meaning = classify(masked.value);
  if (meaning === null) {
    if (masked.spans === 0) return null;
    const line = JSON.stringify(masked.value);
    return { kind: 'log', level: INFO, time: null, line, fields: null, masked: masked.spans };
  }
  if (meaning.kind === 'log') {
    return {
      kind: 'log',
      level: meaning.level,
      time: meaning.time,
      line: meaning.message.toWellFormed(),
      fields: meaning.fields === null ? null : JSON.stringify(meaning.fields),
      masked: masked.spans,
    };
  }
  // An unmasked metric is stored as the bot wrote it: turning it into text again costs more than storing it.
  const data = masked.spans === 0 ? line : JSON.stringify(masked.value);
  const { symbol, values } = metricPoints(metricData(masked.value));
  return { kind: 'metric', type: meaning.type.toWellFormed(), time: meaning.time, data, symbol, values };
}
