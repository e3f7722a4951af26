import { isBehindEscape } from './escapes.ts';
import { compileGate, findWords, foldAscii, type Gate } from './gate.ts';
import { bareEnd, KEY_REACH, KEY_WORDS, keyValueAt } from './key-value.ts';
import { PEM_KEYWORD, pemAt } from './pem.ts';
import { MASK_RULES, type MaskRule } from './rules.ts';
import { type Masked, Spans } from './spans.ts';

/** How far before a keyword a rule may look. */
const BEFORE = 256;
/** Eight windows of 256 characters before and 1 KiB after a keyword, and eight characters per character of the line. */
const FREE_STEPS = 8 * 1280;
const STEPS_PER_CHARACTER = 8;
/** How much may be looked at in a text of so many characters before the rest of it is masked whole. */
export const mostSteps = (characters: number): number => FREE_STEPS + STEPS_PER_CHARACTER * characters;
/** The gate looks for this much of a form; the rest is compared. */
const GATE_LENGTH = 16;
/** A form that agrees over this length counts as found even when the text was cut off. */
const ENOUGH = 64;
/** Exact values shorter than this never replace a metric's type or time (wire.md section 4). */
const STRONG_VALUE = 16;

/** Work done so far, for tests and for a budget: how often a rule was tried, and how much text that looked at at most. */
export interface MaskWork {
  attempts: number;
  steps: number;
  /** Lines whose rest was masked whole because they took too many steps. */
  overflows: number;
}

interface Rule extends MaskRule {
  readonly pattern: RegExp;
}

/** What the words of a gate stand for. */
export interface MaskTable {
  readonly gate: Gate;
  readonly rules: readonly (readonly Rule[])[];
  readonly keys: readonly boolean[];
  readonly pem: number;
  readonly forms: readonly (readonly string[])[];
}

const RULES: readonly Rule[] = MASK_RULES.map((rule) => ({
  ...rule,
  pattern: new RegExp(rule.source, `y${rule.flags}`),
}));

/** Cuts a form to its first bytes for the gate, between characters. */
function gateWord(form: string): string {
  const word = foldAscii(form.slice(0, GATE_LENGTH));
  return word.isWellFormed() ? word : word.slice(0, -1);
}

/** Compiles these forms of secret values into one table, with the rules or alone: that takes a tenth of the time. */
export function compileTable(forms: readonly string[], withRules: boolean): MaskTable {
  const index = new Map<string, { rules: Rule[]; key: boolean; forms: string[] }>();
  const entry = (word: string): { rules: Rule[]; key: boolean; forms: string[] } => {
    const known = index.get(word);
    if (known !== undefined) return known;
    const made = { rules: [], key: false, forms: [] };
    index.set(word, made);
    return made;
  };
  if (withRules) {
    for (const rule of RULES) for (const word of rule.keywords) entry(word).rules.push(rule);
    for (const word of KEY_WORDS) entry(word).key = true;
    entry(PEM_KEYWORD);
  }
  for (const form of forms) entry(gateWord(form)).forms.push(form);
  const words = [...index.keys()];
  const entries = [...index.values()];
  return {
    gate: compileGate(words),
    rules: entries.map((item) => item.rules),
    keys: entries.map((item) => item.key),
    pem: words.indexOf(PEM_KEYWORD),
    forms: entries.map((item) => item.forms),
  };
}

let scratch = Buffer.allocUnsafe(16 * 1024);

function encode(line: string): number {
  if (line.length * 3 > scratch.length) scratch = Buffer.allocUnsafe(line.length * 3);
  return scratch.write(line, 'utf8');
}

/** Characters of UTF-16 before each byte position asked for; positions must not decrease. */
function characterCounter(line: string): (bytePosition: number) => number {
  let bytes = 0;
  let characters = 0;
  return (position) => {
    while (bytes < position) {
      const code = line.codePointAt(characters) ?? 0;
      bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      characters += code < 0x10000 ? 1 : 2;
    }
    return characters;
  };
}

const sameLength = (position: number): number => position;

/** How many characters of a form stand at a place. */
export function commonLength(line: string, at: number, form: string): number {
  if (line.startsWith(form, at)) return form.length;
  let length = 0;
  while (length < form.length && line.charCodeAt(at + length) === form.charCodeAt(length)) length += 1;
  return length;
}

const NUMERIC = /^[+-]?[\d.]+$/;
const PROTECTED = /"(?:_metric|timestamp)"[ \t]{0,3}:[ \t]{0,3}"$/;

/** A short number is masked only as a whole text of its own: within a longer number it would be any number. */
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

/** Which characters of a line of JSON stand in its texts. */
function textsOf(line: string): Uint8Array {
  const texts = new Uint8Array(line.length);
  let inText = false;
  for (let i = 0; i < line.length; i++) {
    const code = line.charCodeAt(i);
    if (code === 34) inText = !inText;
    if (inText) texts[i] = 1;
    // What is escaped stands in the text as well, a quote too.
    if (inText && code === 92) texts[++i] = 1;
  }
  return texts;
}

/** Whether digits in a line of JSON may be a number of it: a bare mask in their place would make it JSON no more. */
const isNumberIn = (line: string, start: number, end: number): boolean =>
  /[\s:,[]/.test(line[start - 1] ?? ' ') && /[\s,\]}]/.test(line[end] ?? ' ');

/** What it costs to compare a form with a text: its beginning is found by the gate. */
export const stepsOf = (length: number): number => 1 + Math.max(0, length - GATE_LENGTH);

/** Finds the secrets of one line that a table knows. A new one is made per line; it is given the hits of the gate in order. */
class LineScan {
  /** The line's private key block goes on in the next line. */
  pemOpen = false;
  readonly #line: string;
  readonly #table: MaskTable;
  readonly #work: MaskWork;
  readonly #most: number;
  readonly #spans: Spans;
  readonly #needed = new Map<string, number>();
  #steps = 0;
  /** From here on the line is masked whole, because it took too many steps. */
  #rest = Number.POSITIVE_INFINITY;
  #json: boolean | undefined;
  #texts: Uint8Array | undefined;

  constructor(line: string, table: MaskTable, work: MaskWork, spans: Spans) {
    this.#line = line;
    this.#table = table;
    this.#work = work;
    this.#spans = spans;
    this.#most = mostSteps(line.length);
  }

  word(word: number, start: number): void {
    const isOver = this.#rest < Number.POSITIVE_INFINITY;
    if (start < this.#rest) for (const form of this.#table.forms[word] ?? []) this.#form(form, start);
    if (isOver) return;
    if (word === this.#table.pem) this.#pem(start);
    if (this.#table.keys[word] === true) this.#key(start);
    for (const rule of this.#table.rules[word] ?? []) this.#rule(rule, start);
    if (this.#steps <= this.#most) return;
    this.#rest = start;
    this.#work.overflows += 1;
    this.#spans.add(start, this.#line.length);
  }

  #isJson(): boolean {
    this.#json ??= isJson(this.#line);
    return this.#json;
  }

  /** In a line of JSON: whether this place is in one of its texts. */
  #isInText(at: number): boolean {
    this.#texts ??= textsOf(this.#line);
    return this.#texts[at] === 1;
  }

  #charge(steps: number): void {
    this.#steps += steps;
    this.#work.attempts += 1;
    this.#work.steps += steps;
  }

  #form(form: string, start: number): void {
    const line = this.#line;
    const length = commonLength(line, start, form);
    const steps = stepsOf(length);
    this.#steps += steps;
    this.#work.steps += steps;
    if (length < form.length && length < ENOUGH) return;
    const end = start + length;
    if (NUMERIC.test(form)) {
      if (isNumberIn(line, start, end) && this.#isJson() && !this.#isInText(start)) {
        this.#spans.addNumber(start, end);
        return;
      }
      if (form.length < STRONG_VALUE && !standsAlone(line, start, end)) return;
    }
    if (form.length < STRONG_VALUE && PROTECTED.test(line.slice(Math.max(0, start - 24), start))) return;
    this.#spans.add(start, end);
  }

  #pem(start: number): void {
    const part = pemAt(this.#line, start);
    this.#charge(part === null ? PEM_KEYWORD.length : part.end - part.start);
    if (part === null) return;
    this.#spans.add(part.start, part.end);
    if (part.open) this.pemOpen = true;
  }

  #key(start: number): void {
    const found = keyValueAt(this.#line, start);
    this.#charge(found === null ? KEY_REACH : found.looked);
    if (found?.secret === true) this.#spans.add(found.start, found.end);
  }

  #rule(rule: Rule, start: number): void {
    const line = this.#line;
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
    this.#charge(end - start);
    this.#spans.add(matchEnd - secret.length, end);
  }

  /** Where a text stands next, looked up once for all hits before it. */
  #next(text: string, start: number): number {
    const known = this.#needed.get(text);
    if (known !== undefined && known >= start) return known;
    const found = this.#line.indexOf(text, start);
    const position = found < 0 ? Number.POSITIVE_INFINITY : found;
    this.#needed.set(text, position);
    return position;
  }
}

/** Calls back for each word of a gate in a text with its index and place, in order of where they end. */
export function eachWord(text: string, gate: Gate, onWord: (word: number, start: number) => void): void {
  const length = encode(text);
  const isAscii = length === text.length;
  const position = isAscii ? sameLength : characterCounter(text);
  findWords(gate, scratch, length, (word, end) => {
    const at = position(end);
    onWord(word, at - (isAscii ? (gate.lengths[word] ?? 0) : (gate.words[word] ?? '').length));
  });
}

/** A masked line, and whether a private key block in it goes on in the next one. */
export interface MaskedLine extends Masked {
  readonly pemOpen: boolean;
}

/** Masks in one line by itself what these tables know. Costs time linear in the line, whatever it holds. */
export function maskOneLine(line: string, tables: readonly MaskTable[], work: MaskWork): MaskedLine {
  const spans = new Spans();
  let pemOpen = false;
  for (const table of tables) {
    let scan: LineScan | null = null;
    eachWord(line, table.gate, (word, start) => {
      scan ??= new LineScan(line, table, work, spans);
      scan.word(word, start);
    });
    // The callback assigns it: control flow analysis cannot see that.
    if ((scan as LineScan | null)?.pemOpen === true) pemOpen = true;
  }
  if (spans.empty) return { text: line, spans: 0, pemOpen: false };
  return { ...spans.apply(line), pemOpen };
}
