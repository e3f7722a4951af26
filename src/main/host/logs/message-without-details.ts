import type { LogEntry } from '../../../contract/telemetry.ts';

/** Characters of a line that tell it from others; lines that differ only behind them are one group. */
const LOOKED_AT = 2000;
const TITLE_CHARS = 300;
/** Most fields of a line that are compared. */
const FIELDS = 20;

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours begin with ESC.
const COLOUR = /\x1b\[[0-9;]{0,20}m/g;
const QUOTED = /"[^"\n]{0,500}"|`[^`\n]{0,500}`|(?<![\p{L}\p{N}])'[^'\n]{0,500}'(?![\p{L}\p{N}])/gu;
const WORD = /[\p{L}\p{N}_-]+/gu;
const DIGIT = /\p{N}/u;
/** A status of HTTP says what went wrong, unlike other numbers. */
const STATUS = /^[45]\d\d$/;
const BEFORE_STATUS = /(?:http(?:\/\d(?:\.\d)?)?|status|code|error)[\s:=([]{0,3}$/i;

const TRACE = /^(?:\S.{0,300}\n)?\s{0,8}(?:Exception Group )?Traceback \(most recent call last\):/;
const FILE_PLACE = /^\s{2,40}File "([^"\n]{1,500})", line (\d{1,9})/;
const FRAME_PLACE = /^\s{2,40}at (?:.{0,300}\()?([^\s()]{1,500}:\d{1,9}):\d{1,9}\)?$/;

const PAREN_PLACE = /^\s{1,40}at [^\s()]{1,500}\(([\w$-]{1,200}\.\w{1,10}:\d{1,9})\)/;
const QUALIFIED = /^(?:[a-z][\w$]{0,60}\.){1,12}[A-Z][\w$]{0,100}(?::|$)/;
const CAUSED_BY = /^Caused by: (.{1,400})/;

/** The message of a line without its details, which identifies its group. */
export interface Saying {
  /** Equal for lines of one group. */
  readonly key: string;
  /** The line on one line; of a traceback its error and place. */
  readonly title: string;
}

/** The last two parts of a path: enough to find the file, and short. */
const shortPath = (path: string): string => path.split(/[/\\]/).slice(-2).join('/');

/** The error of a traceback and where it was raised; null for other text. */
function traceOf(text: string): { readonly error: string; readonly place: string } | null {
  const lines = text.split('\n');
  if (TRACE.test(text)) {
    const place = lines.map((line) => FILE_PLACE.exec(line)).findLast((found) => found !== null);
    const error = lines.findLast((line) => line.trim() !== '' && !line.startsWith('  '));
    if (place == null || error === undefined) return null;
    const first = lines[0] ?? '';
    const said = first.includes('Traceback (') ? '' : `${first.trim()}: `;
    return { error: `${said}${error.trim()}`, place: `${shortPath(place[1] ?? '')}:${place[2]}` };
  }
  if (lines.some((line) => PAREN_PLACE.test(line))) return ofQualified(lines);
  const place = lines.map((line) => FRAME_PLACE.exec(line)).find((found) => found !== null);
  return place == null ? null : { error: lines[0]?.trim() ?? '', place: shortPath(place[1] ?? '') };
}

/** An exception of the JVM: its log message and class, its root cause, and where that was thrown. */
function ofQualified(lines: readonly string[]): { readonly error: string; readonly place: string } {
  const root = lines.findLastIndex((line) => CAUSED_BY.test(line));
  const place = lines.slice(Math.max(root, 0)).flatMap((line) => PAREN_PLACE.exec(line)?.[1] ?? [])[0];
  const thrown = QUALIFIED.test(lines[1] ?? '') ? [lines[1]] : [];
  const cause = CAUSED_BY.exec(lines[root] ?? '')?.[1];
  const said = [lines[0], ...thrown, ...(cause === undefined ? [] : [`caused by ${cause}`])];
  return { error: said.join(': '), place: place ?? '' };
}

/** A text without what differs from one line to the next: numbers, ids, quoted texts. */
function withoutValues(text: string): string {
  return text
    .replaceAll(QUOTED, '""')
    .replaceAll(WORD, (word, at: number, all: string) => {
      if (!DIGIT.test(word)) return word;
      return STATUS.test(word) && BEFORE_STATUS.test(all.slice(Math.max(0, at - 16), at)) ? word : '#';
    })
    .replaceAll(/#(?:[.,:/]#)+/g, '#')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Sentences among the fields tell errors apart; single words and numbers, such as a symbol, do not. */
function sentences({ fields }: Pick<LogEntry, 'fields'>): string {
  if (fields === null) return '';
  const texts = Object.values(fields).slice(0, FIELDS);
  return texts
    .filter((value) => typeof value === 'string' && value.trim().includes(' '))
    .map((value) => withoutValues(String(value).slice(0, LOOKED_AT)))
    .join('\n');
}

/**
 * The message of a line without its details. It is equal for lines that differ only in numbers, ids and quoted texts,
 * and for tracebacks of one error raised in one place.
 */
export function sayingOf(entry: Pick<LogEntry, 'message' | 'fields'>): Saying {
  const text = entry.message.replaceAll(COLOUR, '');
  const trace = text.includes('\n') ? traceOf(text) : null;
  if (trace !== null) {
    const error = trace.error.slice(0, TITLE_CHARS);
    return { key: `${withoutValues(error)}\n${trace.place}`, title: `${error} (${trace.place})` };
  }
  const title = text.slice(0, LOOKED_AT).replaceAll(/\s+/g, ' ').trim().slice(0, TITLE_CHARS);
  return { key: `${withoutValues(text.slice(0, LOOKED_AT))}\n${sentences(entry)}`, title };
}
