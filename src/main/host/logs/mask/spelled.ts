/** Way to spell a value out: the units for its characters or bytes, and the texts between the units. */
interface Spelling {
  readonly units: (value: string) => readonly string[];
  readonly glues: readonly string[];
  /** True if the units are letters; otherwise they are codes. */
  readonly isLetters?: boolean;
}

const bytesAs =
  (write: (byte: number, at: number) => string) =>
  (value: string): readonly string[] =>
    Array.from(Buffer.from(value), write);

const hex = (byte: number): string => byte.toString(16).padStart(2, '0');
const octal = (byte: number): string => byte.toString(8).padStart(3, '0');

/**
 * Spelling of dumps that group bytes by two, in both orders; a value may begin with the second one, and end with a
 * first one.
 */
const wordsAs =
  (skip: number, write: (first: number, second: number) => string, writeLast = (byte: number) => write(byte, 0)) =>
  (value: string): readonly string[] => {
    const bytes = Buffer.from(value).subarray(skip);
    return Array.from({ length: (bytes.length + 1) >> 1 }, (_, i) => {
      const [first = 0, second] = bytes.subarray(2 * i, 2 * i + 2);
      return second === undefined ? writeLast(first) : write(first, second);
    });
  };
const pair = (first: number, second: number): string => hex(first) + hex(second);

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
const lettersOfJson = (value: string): readonly string[] => Array.from(value, inJson);

/** Texts between the letters of a value, or between groups of them. */
const GLUES: readonly string[] = [
  ...[' ', '-', '.', '_', ',', ', ', ':', '/', '|', '+', ';', '#', '*', '~', '\u00b7', ' - ', ' | '],
  ...["', '", "','", '" "', '", "', '","', "' + '", '" + "', "'+'", '"+"'],
];

/** Texts between small groups of letters. */
const GROUP_GLUES: readonly string[] = [
  ...[' ', '-', '.', '_', ',', ', ', ':', '/', '|', ' - ', ' | '],
  ...["', '", '", "', '","', "' + '", '" + "'],
];

const SPELLINGS: readonly Spelling[] = [
  { units: (value) => [...value], glues: [...GLUES, '  ', '   ', '\t', '<wbr>'], isLetters: true },
  {
    units: lettersOfJson,
    glues: ['", "', '","'],
    isLetters: true,
  },
  // Printed twice, one over the other.
  { units: (value) => Array.from(value, (c) => c + c), glues: [''], isLetters: true },
  {
    units: bytesAs(hex),
    glues: [
      ...[' ', ':', '-', ',', ', ', '.', '=', ' 0x', ',0x', ', 0x', '0x', '\\x', '%', '\\u00', ';&#x'],
      ...['\\', ' \\', '\\0000', ' u+00', 'u+00', ', u+00'],
    ],
  },
  { units: wordsAs(0, pair, hex), glues: [' '] },
  { units: wordsAs(1, pair, hex), glues: [' '] },
  { units: wordsAs(0, (first, second) => pair(second, first)), glues: [' '] },
  { units: wordsAs(0, (first, second) => (first + 256 * second).toString(8).padStart(6, '0')), glues: [' '] },
  {
    units: bytesAs(String),
    glues: [' ', ',', ', ', '-', '.', ':', ';&#', ')+chr(', ') + chr(', ').chr(', ')||chr(', ') & chr('],
  },
  { units: bytesAs((byte) => String(byte).padStart(3)), glues: [', ', ' '] },
  // In columns that are as wide as their longest number: the start of a row decides which of the first numbers are
  // padded.
  { units: bytesAs((byte, at) => String(byte).padStart(at === 1 ? 3 : 0)), glues: [', '] },
  { units: bytesAs((byte, at) => String(byte).padStart(at === 2 ? 3 : 0)), glues: [', '] },
  { units: bytesAs((byte, at) => `"${at}":${byte}`), glues: [',', ', '] },
  { units: bytesAs(octal), glues: [' ', ', ', ',', '\\', ' 0o', ', 0o'] },
  { units: bytesAs((byte) => byte.toString(2).padStart(8, '0')), glues: ['', ' ', ',', ', ', ' 0b', ', 0b'] },
];

/** Number of first letters of a longer group that suffice to find it. */
const LONG_GROUP = 4;

/** Numbers of letters and of codes in a row that cannot be chance, whatever follows. */
const ENOUGH_LETTERS = 10;
const ENOUGH_CODES = 8;
/** Length below which a value has no such forms, and length below which it has none in groups. */
const SHORTEST = 8;
const SHORTEST_GROUPED = 12;
/** Length from which a value with signs has such forms, although it has fewer letters. */
const SHORTEST_KEY = 16;
/** Numbers of codes at the end of a line, and of units at the beginning of the next one, that cannot be chance. */
const ENOUGH_MORE = 4;
const ROW_END = /^[\s,;\\]{0,8}$/;
/**
 * Lengths of letters and of codes that the keyword automaton searches for (ordinary texts have more codes). The rest of
 * a form is made only if a text contains this much.
 */
const HEAD = 6;
const HEAD_OF_CODES = 8;

/** Texts that may stand between letters beside the glue: signs, an HTML tag, a colour that lost its first character. */
const BETWEEN_LETTERS = /(?:<\/?[a-z]{1,5} ?\/?>|\^?\[[\d;]{0,12}m|[^A-Za-z0-9]){1,8}/y;
const BETWEEN_CODES = /[^A-Za-z0-9]{1,8}(?:(?:0x|0b|0o|x|u\+?0{0,4}|chr\(|char\()(?=[\da-f]))?/iy;

/** Returns the end of the text that may stand between two letters or codes at a place. */
function behindGlue(text: string, at: number, isLetters: boolean): number {
  const pattern = isLetters ? BETWEEN_LETTERS : BETWEEN_CODES;
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** Returns the place behind the text that may stand between groups of letters. */
export const behindLetters = (text: string, at: number): number => behindGlue(text, at, true);

/** Limit of the characters that are examined before a group of letters. */
const LONGEST_GLUE = 24;
const GLUE_BEFORE = /(?:<\/?[a-z]{1,5} ?\/?>|\^?\[[\d;]{0,12}m|[^A-Za-z0-9]){1,8}$/;

/** Returns the place before the text that may stand between groups of letters. */
export function beforeLetters(text: string, at: number): number {
  const glue = GLUE_BEFORE.exec(text.slice(Math.max(0, at - LONGEST_GLUE), at));
  return at - (glue?.[0].length ?? 0);
}

const isSame = (text: string, at: number, unit: string): boolean =>
  text.startsWith(unit, at) || text.slice(at, at + unit.length).toLowerCase() === unit.toLowerCase();

/** Returns the end of a unit at a place, or -1. Numbers in columns have blanks before them. */
function unitEnd(text: string, at: number, unit: string): number {
  if (isSame(text, at, unit)) return at + unit.length;
  const bare = unit.trimStart();
  return bare.length < unit.length && isSame(text, at, bare) ? at + bare.length : -1;
}

/** Number of letters behind other text between groups that cannot be chance. */
const SHORTEST_GROUP = 3;

/** True if a group of letters, or the last one, stands at a place. */
function isGroup(text: string, at: number, units: readonly string[], first: number): boolean {
  let end = at;
  for (let i = first; i < units.length && i < first + SHORTEST_GROUP; i++) {
    end = unitEnd(text, end, units[i] ?? '');
    if (end < 0) return false;
  }
  return true;
}

/**
 * Returns the end of the next unit behind a place: after the glue, directly within a group, or after other text between
 * groups.
 */
function nextEnd(text: string, at: number, { units, glue, isLetters }: Made, i: number): number {
  const unit = units[i] ?? '';
  const glued = text.startsWith(glue, at) ? unitEnd(text, at + glue.length, unit) : -1;
  if (glued >= 0) return glued;
  const direct = isLetters && glue !== '' ? unitEnd(text, at, unit) : -1;
  if (direct >= 0) return direct;
  const behind = behindGlue(text, at, isLetters);
  if (behind === at) return -1;
  if (!isLetters) return unitEnd(text, behind, unit);
  // A sign of the value may be among those between: the first one, because the next may end the text that contains the
  // value.
  const sign = text.slice(at, behind).indexOf(unit);
  const group = [sign < 0 ? behind : at + sign, behind, behind - 1].find((place) => isGroup(text, place, units, i));
  return group === undefined ? -1 : unitEnd(text, group, unit);
}

/** Counts the units at a place from `first` on; `end` is the end of the last one. */
function walk(text: string, from: number, made: Made, first: number): { readonly count: number; readonly end: number } {
  const { units } = made;
  let end = from;
  for (let i = first; i < units.length; i++) {
    const next = i === first ? unitEnd(text, end, units[i] ?? '') : nextEnd(text, end, made, i);
    if (next < 0) return { count: i - first, end };
    end = next;
  }
  return { count: units.length - first, end };
}

/** One way to spell a value out. */
interface Way {
  readonly units: (value: string) => readonly string[];
  readonly glue: string;
  readonly isLetters: boolean;
  /** Returns the beginning of a value's form. */
  readonly head: (value: string) => string;
}

interface Made {
  readonly units: readonly string[];
  readonly glue: string;
  readonly isLetters: boolean;
}

/** The units of a value with which the next line may continue. */
export interface SpelledRest extends Made {
  readonly value: string;
  readonly from: number;
}

/** Part of a spelled-out value in a text; `end` is the start if the part is too short. */
export interface SpelledStanding {
  readonly start: number;
  readonly end: number;
  readonly looked: number;
  readonly rest: SpelledRest | '';
}

/** The column of letters beside the codes of a dump. */
const LETTER_COLUMN = /^\s{1,60}[|>*]?.{1,24}$/;

const FRAMED_COLUMN = /^\s{1,60}\|.{1,16}\|$/;

/** Returns the end of units, including the letters that a dump shows beside them. */
function withLetters(text: string, end: number, value: string, count: number): number {
  const tail = text.slice(end, end + 90);
  if (end + 90 < text.length || !LETTER_COLUMN.test(tail)) return end;
  if (FRAMED_COLUMN.test(tail) || value.includes(tail.trim())) return text.length;
  for (let at = 0; at + 3 <= value.length && at < 2 * count; at++)
    if (tail.includes(value.slice(at, at + 3))) return text.length;
  return end;
}

/** A form of a value, made only when its beginning occurs in a text, because there are many forms. */
export class Spelled {
  readonly value: string;
  readonly #way: Way;
  /** Kept after the first use, because a text may contain the beginning at each of its letters. */
  #made: Made | null = null;

  constructor(value: string, way: Way) {
    this.value = value;
    this.#way = way;
  }

  /** Word that the keyword automaton searches for. */
  get head(): string {
    return this.#way.head(this.value);
  }

  /** Returns the units at a place where the head stands. */
  standing(text: string, at: number): SpelledStanding {
    const { units, glue, isLetters } = this.#way;
    this.#made ??= { units: units(this.value), glue, isLetters };
    const made = this.#made;
    const start = at + quoteOf(glue).length;
    const { count, end } = walk(text, start, made, 0);
    const perUnit = this.value.length / made.units.length;
    const enough = made.isLetters ? ENOUGH_LETTERS : ENOUGH_CODES;
    const looked = end - start;
    const goesOn = !made.isLetters && count >= ENOUGH_MORE && ROW_END.test(text.slice(end, end + 9));
    const isWhole = count === made.units.length;
    if (!isWhole && ((count * perUnit < enough && !goesOn) || this.#isAsItIs(text, start, end)))
      return { start, end: start, looked, rest: '' };
    const rest = isWhole ? '' : { ...made, value: this.value, from: count };
    return { start, end: made.isLetters ? end : withLetters(text, end, this.value, this.value.length), looked, rest };
  }

  /** True if the beginning of the value stands there without separators: an address has the beginning of many others. */
  #isAsItIs(text: string, start: number, end: number): boolean {
    return [this.value, inJson(this.value)].some((whole) => isSame(text, start, whole.slice(0, end - start)));
  }
}

/** The offset at the beginning of a line of a dump. */
const OFFSET = /^[\s|]{0,16}(?:(?:0x)?[\da-f]{4,16}[:|]?\s{1,8})?/i;
const INDENT = /^[\s"'`>|#*+\\.-]{0,64}/;

/** Returns the place at which a line continues a value that the line before spelled out, or null. */
export function spelledOn(
  line: string,
  rest: SpelledRest,
): { readonly start: number; readonly end: number; readonly rest: SpelledRest | '' } | null {
  const left = rest.units.length - rest.from;
  for (const leading of [OFFSET, INDENT]) {
    const start = leading.exec(line)?.[0].length ?? 0;
    const { count, end } = walk(line, start, rest, rest.from);
    if (count < Math.min(ENOUGH_MORE, left)) continue;
    const more = count < left ? { ...rest, from: rest.from + count } : '';
    return { start, end: withLetters(line, end, rest.value, rest.value.length), rest: more };
  }
  return null;
}

/** Returns the quote that opens a list with this glue, which makes the beginning of the form rarer. */
const quoteOf = (glue: string): string => (/^["']/.test(glue) ? glue.slice(0, 1) : '');

/** Returns the beginning of a form: at least two units, and enough of them for a word of `length`. */
function headOf(units: readonly string[], glue: string, length = HEAD): string {
  let head = quoteOf(glue) + (units[0] ?? '');
  for (let i = 1; i < units.length && (i < 2 || head.length < length); i++) head += glue + (units[i] ?? '');
  return head;
}

const groupsOf = (value: string, size: number): string[] =>
  value.slice(0, size * HEAD).match(new RegExp(`.{${size}}`, 'gsu')) ?? [];

const letters = (value: string): readonly string[] => [...value];

const WAYS: readonly Way[] = SPELLINGS.flatMap(({ units, glues, isLetters = false }) =>
  glues.map((glue) => ({
    units,
    glue,
    isLetters,
    head: (value) => headOf(units(value.slice(0, 2 * HEAD)), glue, isLetters ? HEAD : HEAD_OF_CODES),
  })),
);
const inGroups = (size: number): readonly Way[] =>
  GROUP_GLUES.map((glue) => ({
    units: letters,
    glue,
    isLetters: true,
    head: (value) => headOf(groupsOf(value, size), glue),
  }));
const IN_GROUPS = [2, 3].flatMap(inGroups);
/** Groups of values that begin with words, whose first letters are in many texts. */
const IN_FOURS_AND_FIVES = [4, 5].flatMap(inGroups);
const inLongGroups = (length: number): Way => ({
  units: letters,
  glue: '',
  isLetters: true,
  head: (value) => value.slice(0, length),
});
const IN_LONG_GROUPS = inLongGroups(LONG_GROUP);
const IN_LONGER_GROUPS = inLongGroups(HEAD);
/** Groups of values with quotes and backslashes, as lists in JSON contain them. */
const IN_GROUPS_OF_JSON: Way = {
  units: lettersOfJson,
  glue: '',
  isLetters: true,
  head: (value) => inJson(value).slice(0, HEAD),
};
const ESCAPED_IN_JSON = /["\\]/;
/** Beginning that few words and no hashes have. */
const UNLIKE_WORD = /^(?=.*[g-zG-Z])(?=.*(?:\d|[a-z][A-Z]|[A-Z]{2}|[^\sA-Za-z]))/;

/** Whether groups of a value cannot be chance: it has enough letters, or is a key with signs among them. */
function isGrouped(value: string): boolean {
  const count = value.match(/[A-Za-z0-9]/g)?.length ?? 0;
  const isKey = value.length >= SHORTEST_KEY && count >= SHORTEST && /^[!-~]+$/.test(value);
  return (count >= SHORTEST_GROUPED || isKey) && !/^\d+$/.test(value);
}

function waysOf(value: string): readonly Way[] {
  if (!isGrouped(value)) return WAYS;
  const isUnlikeWord = UNLIKE_WORD.test(value.slice(0, LONG_GROUP));
  const long = isUnlikeWord ? [IN_LONG_GROUPS] : [...IN_FOURS_AND_FIVES, IN_LONGER_GROUPS];
  return [...WAYS, ...IN_GROUPS, ...long, ...(ESCAPED_IN_JSON.test(value) ? [IN_GROUPS_OF_JSON] : [])];
}

/** Returns the forms of a spelled-out value: lists of codes, dumps, and letters with separators. */
export function spelledForms(value: string): Spelled[] {
  if (value.length < SHORTEST) return [];
  return waysOf(value)
    .map((way) => new Spelled(value, way))
    .filter(({ head }) => head.length >= LONG_GROUP && !/[\r\n]/.test(head));
}
