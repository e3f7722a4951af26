import { isBehindEscape } from './escape-patterns.ts';
import { bareEnd, KEY_REACH, keyValueAt } from './key-value.ts';
import { foursOf, type KeywordAutomaton } from './keyword-automaton.ts';
import type { MaskTable, Rule } from './mask-table.ts';
import { PEM_KEYWORD, pemAt } from './pem.ts';
import { type Masked, Spans } from './spans.ts';
import { type UnescapedText, unescapedOf } from './unescaped-text.ts';
import { type Form, GATE_LENGTH, isPart, type Rest, type Standing, standing } from './value-forms.ts';
import type { OnWord } from './word-index.ts';

/** Number of characters before a keyword that a rule may examine. */
const BEFORE = 256;
/**
 * Work that every line may take: eight windows of 256 characters before and 1 KiB after a keyword, and eight characters
 * per character of the line.
 */
const FREE_STEPS = 8 * 1280;
const STEPS_PER_CHARACTER = 8;
/** Returns the work allowed for a text of this length before the rest of it is masked as a whole. */
export const mostSteps = (characters: number): number => FREE_STEPS + STEPS_PER_CHARACTER * characters;
/** Length under which exact values never replace a metric's type or time, because short ones may be ordinary words. */
const STRONG_VALUE = 16;

/** Work done so far, for tests and limits: the number of attempts of rules, and the most text that they examined. */
export interface MaskWork {
  attempts: number;
  steps: number;
  /** Number of lines whose rest was masked as a whole because they took too many steps. */
  overflows: number;
}

let scratch = Buffer.allocUnsafeSlow(16 * 1024);
let fours = foursOf(scratch);

function encode(line: string): number {
  if (line.length * 3 > scratch.length) {
    scratch = Buffer.allocUnsafeSlow(line.length * 3);
    fours = foursOf(scratch);
  }
  return scratch.write(line, 'utf8');
}

const sizeOf = (code: number): number => (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4);

/** Counts UTF-16 characters before byte positions; fast for positions near the last one. */
function characterCounter(line: string): (bytePosition: number) => number {
  let bytes = 0;
  let characters = 0;
  return (position) => {
    while (bytes < position) {
      const code = line.codePointAt(characters) ?? 0;
      bytes += sizeOf(code);
      characters += code < 0x10000 ? 1 : 2;
    }
    while (bytes > position) {
      const pair = characters > 1 ? (line.codePointAt(characters - 2) ?? 0) : 0;
      const code = pair < 0x10000 ? line.charCodeAt(characters - 1) : pair;
      bytes -= sizeOf(code);
      characters -= code < 0x10000 ? 1 : 2;
    }
    return characters;
  };
}

const NUMERIC = /^[+-]?[\d.]+$/;
const PROTECTED = /"(?:_metric|timestamp)"[ \t]{0,3}:[ \t]{0,3}"$/;

/**
 * True if a number stands alone. A short number is masked only as a whole text: within a longer number it would be any
 * number.
 */
function standsAlone(line: string, start: number, end: number): boolean {
  const before = line[start - 1] ?? ' ';
  const after = line[end] ?? ' ';
  return (
    (!/[\w.]/.test(before) || isBehindEscape(line, start)) &&
    !/[\w]/.test(after) &&
    !(after === '.' && /\d/.test(line[end + 1] ?? ''))
  );
}

function isJson(line: string): boolean {
  if (!/^\s*[{[]/.test(line)) return false;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false; // A line of another kind that begins like one, such as "[12:00:00] …".
  }
}

/** Marks the characters inside the texts of a JSON line. */
function textsOf(line: string): Uint8Array {
  const texts = new Uint8Array(line.length);
  let inText = false;
  for (let i = 0; i < line.length; i++) {
    const code = line.charCodeAt(i);
    if (code === 34) inText = !inText;
    if (inText) texts[i] = 1;
    // An escaped character is inside the text as well, even a quote.
    if (inText && code === 92) texts[++i] = 1;
  }
  return texts;
}

/** True if digits in a JSON line may be a number of it: a bare mask in their place would break the JSON. */
const isNumberIn = (line: string, start: number, end: number): boolean =>
  /[\s:,[]/.test(line[start - 1] ?? ' ') && /[\s,\]}]/.test(line[end] ?? ' ');

/** Length of base64 after which a plus or a slash does not end a word. */
const BASE64_RUN = 40;
const BASE64_BEFORE = new RegExp(`^[A-Za-z0-9+/]{${BASE64_RUN}}$`);

/** True if one of these texts is here, at a possible start of a word. */
function mayBegin(line: string, at: number, begins: readonly string[]): boolean {
  const before = line.charCodeAt(at - 1);
  if ((before === 43 || before === 47) && BASE64_BEFORE.test(line.slice(Math.max(0, at - BASE64_RUN), at)))
    return false;
  for (const begin of begins) if (line.startsWith(begin, at)) return true;
  return false;
}

/** Distance from the end of a line within which a value may continue in the next line. */
const LONGEST_END = 8;

/** Returns the cost of comparing a form with a text, of which the keyword automaton finds the beginning. */
export const stepsOf = (length: number): number => 1 + Math.max(0, length - GATE_LENGTH);

/**
 * Finds the secrets of one line that a table contains. One is made per line; it gets the hits of the keyword automaton
 * in order.
 */
class LineScan {
  /** Set if the line's private key block continues in the next line. */
  pemOpen = false;
  /** The rest of a value that the end of the line breaks off. */
  broken: Rest = '';
  readonly spans = new Spans();
  readonly #line: string;
  readonly #table: MaskTable;
  readonly #work: MaskWork;
  readonly #most: number;
  #needed: Map<string, number> | null = null;
  #steps = 0;
  /** Position from which the line is masked as a whole, because it took too many steps. */
  #rest = Number.POSITIVE_INFINITY;
  /** End of the text that was already searched for forms: in the line before and with this word, and in its view. */
  #foundTo = 0;
  #reached = 0;
  #seenTo = 0;
  #json: boolean | undefined;
  #texts: Uint8Array | undefined;

  constructor(line: string, table: MaskTable, work: MaskWork) {
    this.#line = line;
    this.#table = table;
    this.#work = work;
    this.#most = mostSteps(line.length);
  }

  word(word: number, start: number): void {
    if (start >= this.#rest) return;
    const { forms, shapes } = this.#table;
    const some = forms[word];
    if (some !== undefined) {
      this.#forms(some, start);
    } else {
      const shape = shapes[word - forms.length];
      if (shape?.isPem === true) this.#pem(start);
      if (shape?.isKey === true) this.#key(start);
      for (const rule of shape?.rules ?? []) this.#rule(rule, start);
    }
    this.#stopAt(start);
  }

  #forms(forms: readonly Form[], start: number): void {
    for (const form of forms) {
      // Many parts of one long value may begin alike.
      if (this.#steps > this.#most) break;
      this.#form(form, start);
    }
    this.#foundTo = Math.max(this.#foundTo, this.#reached);
  }

  /** Handles a word in the view of the line: only forms of values are searched there, not rules. */
  seen(word: number, at: number, view: UnescapedText): void {
    const forms = this.#table.forms[word];
    if (forms === undefined || view.start(at) >= this.#rest) return;
    for (const form of forms) {
      if (this.#steps > this.#most) break;
      if (isPart(form) && at < this.#seenTo) continue;
      const found = this.#standing(view.text, at, form);
      if (found.end === found.start) continue;
      const isShort = found.form.length < STRONG_VALUE;
      if (isShort && NUMERIC.test(found.form) && !standsAlone(view.text, found.start, found.end)) continue;
      if (isShort && PROTECTED.test(view.text.slice(Math.max(0, at - 24), at))) continue;
      this.#add(found, view.start(found.start), view.end(found.end - 1));
      this.#seenTo = found.end;
    }
    this.#stopAt(view.start(at));
  }

  #stopAt(start: number): void {
    if (this.#steps <= this.#most || start >= this.#rest) return;
    // A hit in the view of the line may begin before an earlier stop: each line counts only once.
    if (this.#rest === Number.POSITIVE_INFINITY) this.#work.overflows += 1;
    this.#rest = start;
    this.spans.add(start, this.#line.length);
  }

  #isJson(): boolean {
    this.#json ??= isJson(this.#line);
    return this.#json;
  }

  /** In a JSON line: true if this place is inside a text. */
  #isInText(at: number): boolean {
    this.#texts ??= textsOf(this.#line);
    return this.#texts[at] === 1;
  }

  #charge(steps: number): void {
    this.#steps += steps;
    this.#work.attempts += 1;
    this.#work.steps += steps;
  }

  #standing(text: string, at: number, form: Form): Standing {
    const found = standing(text, at, form);
    const steps = stepsOf(found.looked);
    this.#steps += steps;
    this.#work.steps += steps;
    return found;
  }

  #add(found: Standing, start: number, end: number): void {
    this.spans.add(start, end);
    // A value at the end of a line may continue in the next one.
    if (found.rest === '' || this.#line.length - end > LONGEST_END) return;
    // The rows of a dump identify most, then values that continue unchanged.
    const rank = (rest: Rest): number => (typeof rest === 'string' ? Math.min(1, rest.length) : rest.isLetters ? 0 : 2);
    if (this.broken === '' || rank(found.rest) >= rank(this.broken)) this.broken = found.rest;
  }

  #form(form: Form, at: number): void {
    if (isPart(form) && at < this.#foundTo) return;
    const line = this.#line;
    const found = this.#standing(line, at, form);
    const { start, end, form: whole } = found;
    if (end === start) return;
    if (NUMERIC.test(whole)) {
      if (isNumberIn(line, start, end) && this.#isJson() && !this.#isInText(start)) {
        this.spans.addNumber(start, end);
        return;
      }
      if (whole.length < STRONG_VALUE && !standsAlone(line, start, end)) return;
    }
    if (whole.length < STRONG_VALUE && PROTECTED.test(line.slice(Math.max(0, start - 24), start))) return;
    this.#add(found, start, end);
    this.#reached = Math.max(this.#reached, end);
  }

  #pem(start: number): void {
    const part = pemAt(this.#line, start);
    this.#charge(part === null ? PEM_KEYWORD.length : part.end - part.start);
    if (part === null) return;
    this.spans.add(part.start, part.end);
    if (part.open) this.pemOpen = true;
  }

  #key(start: number): void {
    const found = keyValueAt(this.#line, start);
    this.#charge(found === null ? KEY_REACH : found.looked);
    if (found?.secret === true) this.spans.add(found.start, found.end);
  }

  #rule(rule: Rule, start: number): void {
    const line = this.#line;
    if (rule.begins !== undefined && !mayBegin(line, start, rule.begins)) return;
    if (rule.needs !== undefined && this.#next(rule.needs, start) > start + rule.reach) return;
    const from = Math.max(0, start - BEFORE);
    const to = Math.min(line.length, start + rule.reach);
    const { pattern } = rule;
    pattern.lastIndex = start - from;
    const match = pattern.exec(line.slice(from, to));
    if (match === null) {
      this.#charge(rule.reach);
      return;
    }
    const matchEnd = from + pattern.lastIndex;
    const secret = match.findLast((group) => group !== undefined) ?? match[0];
    const end = matchEnd === to && to < line.length ? bareEnd(line, to) : matchEnd;
    let first = matchEnd - secret.length;
    while (first > from && rule.isBefore?.test(line[first - 1] ?? '') === true) first -= 1;
    this.#charge(end - Math.min(first, start));
    this.spans.add(first, end);
  }

  /** Returns the next position of a text, searched once for all hits before it. */
  #next(text: string, start: number): number {
    const known = this.#needed?.get(text);
    if (known !== undefined && known >= start) return known;
    const found = this.#line.indexOf(text, start);
    const position = found < 0 ? Number.POSITIVE_INFINITY : found;
    this.#needed ??= new Map();
    this.#needed.set(text, position);
    return position;
  }
}

/** Calls back for each word in a text with its number and place. Returns false if the text certainly is its own view. */
export function eachWord(text: string, automaton: KeywordAutomaton, onWord: OnWord): boolean {
  const length = encode(text);
  if (length === text.length) return automaton.find(scratch, length, onWord, fours);
  const position = characterCounter(text);
  return automaton.find(scratch, length, (word, at) => onWord(word, position(at)), fours);
}

/** A masked line, and the parts that continue in the next one: a private key block, a value. */
export interface MaskedLine extends Masked {
  readonly pemOpen: boolean;
  /** The rest of a value that the end of the line breaks off; empty if it breaks none. */
  readonly broken: Rest;
}

/** Masks one line by itself with this table. Takes time linear in the line, whatever it contains. */
export function maskOneLine(line: string, table: MaskTable, work: MaskWork): MaskedLine {
  // Made at the first word: most texts contain none.
  let started = null as LineScan | null;
  const scan = (): LineScan => (started ??= new LineScan(line, table, work));
  const hasSigns = eachWord(line, table.automaton, (word, start) => scan().word(word, start));
  const view = hasSigns ? unescapedOf(line) : null;
  if (view !== null) eachWord(view.text, table.automaton, (word, start) => scan().seen(word, start, view));
  if (started === null) return { text: line, spans: 0, pemOpen: false, broken: '' };
  const { pemOpen, broken, spans } = started;
  if (spans.empty) return { text: line, spans: 0, pemOpen: false, broken };
  return { ...spans.apply(line), pemOpen, broken };
}
