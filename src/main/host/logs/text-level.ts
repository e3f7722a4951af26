import { DEBUG, ERROR, INFO, WARN, wordLevel } from './classify-json-line.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours begin with ESC.
const COLOUR = /\x1b\[[0-9;]{0,20}m/g;
/** Number of first characters in which a level is searched; the rest of a line is its message. */
const HEAD = 400;

const CAPITALS = 'ERROR|CRITICAL|FATAL|SEVERE|WARN|WARNING|NOTICE|INFO|DEBUG|TRACE';
const ANY_CASE =
  '[Ee]rror|[Cc]ritical|[Cc]rit|[Ff]atal|[Ss]evere|[Ww]arn|[Ww]arning|[Nn]otice|[Ii]nfo|[Dd]ebug|[Tt]race';
/** Limit of the length of a logger's name, and of the blanks that fill its column. */
const LONGEST_NAME = 100;
const WIDEST_COLUMN = 40;
/** `/`, `:`, `@`, `-` within a name. */
const NAME_SIGNS: ReadonlySet<number> = new Set([0x2f, 0x3a, 0x40, 0x2d]);
const WORD_END = '(?![A-Za-z0-9_])';

const DAY = String.raw`(?:\d{4}[-/.]\d\d[-/.]\d\d|\d\d[-/.]\d\d[-/.]\d{2,4})`;
const CLOCK = String.raw`\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?:\s?[AP]M)?`;
const ZONE = String.raw`(?:Z|\s?[+-]\d\d:?\d\d|\s(?:UTC|GMT))?`;
/** A date, a time of day, both, seconds since the epoch, or log4j's milliseconds since the start. */
const TIME = new RegExp(
  String.raw`^[[(]?(?:${DAY}(?:[T ,]\s?${CLOCK})?|${CLOCK}|\d{10,19}(?:\.\d{1,9})?|\d{1,9}(?=\s\[))${ZONE}[\])]?`,
  'y',
);
/** `[thread] `, which loggers write before the level. */
const BRACKETS = /\[[^\][\n]{1,100}\]\s{0,4}[-|:]?\s{0,4}/y;
/** Limit of the parts between time and level: a thread, a logger, a process id. */
const MOST_PARTS = 3;
/** A level behind a time or a part in brackets: a word in capitals, including the short forms of consoles. */
const LEVEL = new RegExp(
  String.raw`[[(<]?\s?(${CAPITALS}|ERR|WRN|INF|DBG|FTL|CRIT|TRC)${WORD_END}|\[(${ANY_CASE})\s?\]|(${ANY_CASE}):\s`,
  'y',
);
const LEVEL_STARTS: ReadonlySet<number> = new Set([...'[(< ECFSWNIDTecfswnidt'].map((c) => c.charCodeAt(0)));
/** A level in a column of its own. */
const COLUMN = new RegExp(String.raw`(${CAPITALS})(?:\s{0,8}[-|:\]]|\s{2})`, 'y');
const LEADING = new RegExp(String.raw`^\s{0,400}\[?\s?(${CAPITALS})${WORD_END}`);
/** `error: x`; with a number or nothing behind it, the line is a measurement. */
const COLON = new RegExp(
  String.raw`^(?:(${ANY_CASE}|panic):(?!\s{0,8}(?:[-+]?[\d.]{1,30}\s?%?|[Nn]one|null|nil|false|no)\s{0,8}(?:$|[,;|]))\s` +
    String.raw`|(fail|crit|warn|info|dbug|trce): \S{1,200}\[\d{1,9}\]$|(${CAPITALS}):\S)`,
);
/** The level among the `key=value` pairs of a line that begins with one (logfmt). */
const LOGFMT =
  /^(?:[\w.@-]{1,40}=(?:"(?:[^"\\]|\\.){0,200}"|[^\s"]\S{0,200}|)\s{1,4}){0,6}(?:level|lvl|levelname|severity|log\.level)="?([A-Za-z]{3,11})"?(?=\s|$)/;
/** Last words of programs: Go, Rust, C++, the JVM, .NET. */
const PHRASE =
  /^(?:thread '[^'\n]{0,200}' (?:\(\d{1,20}\) )?panicked at|terminate called (?:after|without|recursively)|fatal error: \S|Exception in thread "|Unhandled [Ee]xception[.:])/;
/** glog and klog: `E1124 10:00:00.123456`. */
const GLOG = /^([EFWI])\d{4} \d\d:\d\d:\d\d\.\d/;

const REFUSED =
  /\bHTTP(?:Error|Exception)?(?:\/\d(?:\.\d)?)?"?(?:[ _-]?(?:[Ss]tatus|[Ee]rror|[Cc]ode|[Rr]esponse)){0,2}[\s:=([]{1,3}(?:429|5\d\d)(?!\d)|\b429:? (?:Client Error: )?Too Many Requests\b/;

/** Level of each level word by its first letter: all words of one letter in the patterns above name the same level. */
const LETTER_LEVELS: Readonly<Record<string, number>> = {
  D: DEBUG,
  T: DEBUG,
  I: INFO,
  N: INFO,
  W: WARN,
  C: ERROR,
  E: ERROR,
  F: ERROR,
  P: ERROR,
  S: ERROR,
};
/** The same by character code of a capital or a small letter; -1 for any other character. */
const LEVEL_BY_CODE = Int8Array.from({ length: 128 }, (_, code) => {
  return LETTER_LEVELS[String.fromCharCode(code).toUpperCase()] ?? -1;
});

/**
 * Returns the level that a pattern finds at a position; patterns without the sticky flag search from the beginning.
 * Nearly every line comes here: a test and the first letter of the match spare the parts of the match and the word.
 */
function found(at: number, pattern: RegExp, line: string): number | null {
  pattern.lastIndex = at;
  if (!pattern.test(line)) return null;
  // Only blanks and an opening bracket stand before the word.
  for (let i = at; i < line.length; i++) {
    const level = LEVEL_BY_CODE[line.charCodeAt(i)] ?? -1;
    if (level >= 0) return level;
  }
  return null;
}

/** Returns the level that a line of `key=value` pairs names. */
function ofPairs(line: string): number | null {
  const word = LOGFMT.exec(line)?.[1];
  return word === undefined ? null : wordLevel(word);
}

const isCapital = (c: number): boolean => c >= 0x41 && c <= 0x5a;
const isDigit = (c: number): boolean => c >= 0x30 && c <= 0x39;
const isBlank = (c: number): boolean => c === 0x20 || c === 0x09;
/** True for a character of a name, except the `:` of `error:` and the `=` of `level=`. */
const isWord = (c: number): boolean =>
  (c >= 0x61 && c <= 0x7a) || isCapital(c) || isDigit(c) || c === 0x5f || c === 0x2e || c === 0x24;

function wordEnd(line: string, from: number): number {
  const most = Math.min(line.length, from + LONGEST_NAME);
  let at = from;
  while (at < most && isWord(line.charCodeAt(at))) at++;
  return at;
}

/** Returns the position behind a name of a logger, which may contain a place in code or a host. */
function nameEnd(line: string, from: number): number {
  let at = wordEnd(line, from);
  while (at > from && at < from + LONGEST_NAME && NAME_SIGNS.has(line.charCodeAt(at))) at = wordEnd(line, at + 1);
  return at;
}

/** Returns the position behind the time at the start of a line; 0 if it starts with none. */
function timeEnd(line: string): number {
  TIME.lastIndex = 0;
  // A failed test sets lastIndex to 0; unlike a match, a test allocates nothing.
  TIME.test(line);
  return TIME.lastIndex;
}

/** Returns the position behind the blanks and the one sign that separate two parts. */
function separatorEnd(line: string, from: number): number {
  const at = blanksEnd(line, from);
  const c = line.charCodeAt(at);
  return c === 0x2d || c === 0x7c || c === 0x3a || c === 0x2c ? blanksEnd(line, at + 1) : at;
}

function blanksEnd(line: string, from: number): number {
  let at = from;
  while (at < from + WIDEST_COLUMN && isBlank(line.charCodeAt(at))) at++;
  return at;
}

function ofPhrase(line: string): number | null {
  const glog = GLOG.exec(line)?.[1];
  if (glog !== undefined) return glog === 'I' ? INFO : glog === 'W' ? WARN : ERROR;
  return PHRASE.test(line) ? ERROR : null;
}

/** Returns the level behind the prefix of a logger; `from` is the end of the time. Null for ordinary words. */
function ofLogger(line: string, from: number): number | null {
  let isSetOff = from > 0;
  let at = isSetOff ? separatorEnd(line, from) : 0;
  for (let parts = 0; parts <= MOST_PARTS; parts++) {
    const first = line.charCodeAt(at);
    const isBracket = first === 0x5b;
    const mayBeLevel = LEVEL_STARTS.has(first) && (isSetOff || isBracket || parts > 0);
    const pattern = isSetOff || isBracket ? LEVEL : COLUMN;
    const level = mayBeLevel ? found(at, pattern, line) : null;
    if (level !== null) {
      // The sign behind the level has a part in it.
      if (from > 0 && pattern.lastIndex < line.length) remember(line.slice(0, pattern.lastIndex + 1), level);
      return level;
    }
    if (isBracket) {
      isSetOff = true;
      BRACKETS.lastIndex = at;
      if (!BRACKETS.test(line)) return null;
      at = BRACKETS.lastIndex;
      continue;
    }
    const end = nameEnd(line, at);
    const next = blanksEnd(line, end);
    if (end === at || next === end) return null;
    const after = line.charCodeAt(next);
    if ((after === 0x2d || after === 0x7c) && isBlank(line.charCodeAt(next + 1))) at = blanksEnd(line, next + 1);
    else if (isSetOff && isDigit(first)) at = next;
    // A name without a separator may be a word of a sentence: only a word in a column is a level.
    else return isSetOff && isCapital(after) ? found(next, COLUMN, line) : null;
  }
  return null;
}

/**
 * The beginning of a line behind whose time a level was found, up to the sign behind it, and that level. The lines of one
 * logger begin alike except for digits, and one digit means what another does.
 */
let known: { readonly codes: readonly number[]; readonly level: number } = { codes: [], level: INFO };

/** Stands for any digit. */
const ANY_DIGIT = 0x30;

function remember(head: string, level: number): void {
  const codes = Array.from({ length: head.length }, (_, at) => head.charCodeAt(at)).map((code) =>
    isDigit(code) ? ANY_DIGIT : code,
  );
  known = { codes, level };
}

function beginsAsKnown(line: string): boolean {
  const { codes } = known;
  if (codes.length === 0 || line.length < codes.length) return false;
  for (let at = 0; at < codes.length; at++) {
    const code = line.charCodeAt(at);
    if (code !== codes[at] && !(codes[at] === ANY_DIGIT && isDigit(code))) return false;
  }
  return true;
}

/**
 * Returns the level that a line states; null if it states none. The first word of the line decides which forms are
 * possible.
 */
function statedLevel(line: string): number | null {
  const first = line.charCodeAt(0);
  if (first === 0x5b || isDigit(first)) return ofLogger(line, timeEnd(line));
  if (isBlank(first)) return found(0, LEADING, line);
  if (!isWord(first)) return null;
  const level = isCapital(first) ? found(0, LEADING, line) : null;
  if (level !== null) return level;
  const end = wordEnd(line, 0);
  const next = line.charCodeAt(end);
  if (next === 0x3a) return found(0, COLON, line) ?? ofLogger(line, 0);
  if (next === 0x3d) return ofPairs(line);
  if (next !== 0x20) return null;
  const after = line.charCodeAt(end + 1);
  if (after === 0x2d || after === 0x7c || after === 0x20) return ofLogger(line, 0);
  return first === 0x74 || first === 0x66 || isCapital(first) ? ofPhrase(line) : null;
}

/** Returns a line without colours, as far as a level may stand in it. */
const plain = (line: string): string => line.slice(0, HEAD).replaceAll(COLOUR, '');

/**
 * Returns the level of a line of text: the stated one (docs/writing-bots.md#the-sdks), else a warning for an HTTP
 * answer of refusal (429, 5xx), else info. A few characters suffice for ordinary lines, because every line is checked.
 */
export function textLevel(line: string): number {
  if (beginsAsKnown(line)) return known.level;
  const stated = statedLevel(line.includes('\x1b') ? plain(line) : line);
  if (stated !== null) return stated;
  const mayRefuse = line.includes('HTTP') || line.includes('Too Many');
  return mayRefuse && REFUSED.test(line) ? WARN : INFO;
}
