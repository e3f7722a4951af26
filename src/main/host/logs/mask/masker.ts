import { hideForms, LONG_VALUE } from './exact-values.ts';
import { type MaskWork, maskOneLine } from './line-masker.ts';
import { maskJsonValue, replaceValues } from './mask-json.ts';
import { compileTable, type MaskTable } from './mask-table.ts';
import { memo } from './memo.ts';
import { PEM_LINES, pemEnd } from './pem.ts';
import { MASK, type Masked } from './spans.ts';
import { LONGEST_UNIT } from './unescaped-text.ts';
import { SHORTEST_FORM } from './usual-encodings.ts';
import { continued, type Form, type Rest, valueForms } from './value-forms.ts';

/** Masks the lines of one stream in order: it remembers an open private key block, or a value that a line broke off. */
export interface MaskStream {
  /** A private key block or a value continues: the next line must go through maskLine whatever the keyword automaton finds. */
  readonly inBlock: boolean;
  /** Masks the next line; `line` is whole and has no line end. */
  maskLine(line: string): Masked;
}

/** Masks texts and JSON values that come one at a time. Made for one set of secret values. */
export interface TextMasker {
  /** Masks a text of any number of lines: error messages, reasons, results. */
  maskText(text: string): string;
  /** Masks the texts in a JSON value, and numbers that are a secret value; `timestamp` and `_metric` stay. */
  maskJson(value: unknown): unknown;
  /**
   * A JSON value in which only the secret values of this masker are replaced, wherever they are, keys included. For
   * answers of programs: their other texts are data, whatever they look like.
   */
  hideValues(value: unknown): unknown;
}

/** Masks a bot's output (docs/masking.md). */
export interface Masker extends TextMasker {
  /** Bytes that must be seen beyond a cut in a long line, so that no secret lies across it unseen. */
  readonly overlap: number;
  readonly work: Readonly<MaskWork>;
  /** Finds line ends and marks the lines that must be masked; lines it does not mark are clean (keyword-automaton.ts). */
  scan(buf: Uint8Array, from: number, to: number, ends: Uint32Array, flags: Uint8Array): number;
  /** True if a text holds a secret value of this masker, in any form. */
  holdsValue(text: string): boolean;
  /** Masks one line by itself. For the lines of a stream use newStream: a private key block has many lines. */
  maskLine(line: string): Masked;
  newStream(): MaskStream;
}

class Stream implements MaskStream {
  readonly #table: MaskTable;
  readonly #work: MaskWork;
  /** Lines that an open private key block may still have. */
  #block = 0;
  /** The rest of a value that the previous line broke off. */
  #broken: Rest = '';

  constructor(table: MaskTable, work: MaskWork) {
    this.#table = table;
    this.#work = work;
  }

  get inBlock(): boolean {
    return this.#block > 0 || this.#broken !== '';
  }

  maskLine(line: string): Masked {
    if (this.#broken !== '') return this.#goOn(line);
    if (this.#block === 0) return this.#mask(line);
    const end = pemEnd(line);
    if (end < 0) {
      this.#block -= 1;
      return line === MASK ? { text: line, spans: 0 } : { text: MASK, spans: 1 };
    }
    this.#block = 0;
    const rest = this.#mask(line.slice(end));
    return { text: `${MASK}${rest.text}`, spans: rest.spans + 1 };
  }

  /** Masks a line that may begin with the rest of a value. */
  #goOn(line: string): Masked {
    const rest = this.#broken;
    this.#broken = '';
    const found = continued(line, rest);
    if (found === null) return this.maskLine(line);
    const after = this.#mask(line.slice(found.end));
    if (found.rest !== '') this.#broken = found.rest;
    return { text: `${line.slice(0, found.start)}${MASK}${after.text}`, spans: after.spans + 1 };
  }

  #mask(line: string): Masked {
    const { text, spans, pemOpen, broken } = maskOneLine(line, this.#table, this.#work);
    if (pemOpen) this.#block = PEM_LINES;
    this.#broken = broken;
    return { text, spans };
  }
}

/** Longest window of a rule, in bytes. */
const RULE_OVERLAP = 1280;

let withoutValues: MaskTable | null = null;

/** The rules alone. */
function shapesTable(): MaskTable {
  withoutValues ??= compileTable([]);
  return withoutValues;
}

/** Shorter numbers are left: ordinary counts and prices would be hit. */
const NUMBER_DIGITS = 5;

/**
 * Integers with more digits than a double holds: a bot in another language prints them exactly, and JavaScript reads
 * them rounded.
 */
const LONG_NUMBER = /^[1-9]\d{15,}$/;

/** The secret numbers in the form that JavaScript gives them after reading. */
function secretNumbers(values: readonly string[]): ReadonlySet<string> {
  const numbers = values.filter(
    (text) =>
      text.replaceAll(/\D/g, '').length >= NUMBER_DIGITS && (LONG_NUMBER.test(text) || String(Number(text)) === text),
  );
  return new Set(numbers.map((text) => String(Number(text))));
}

class TableMasker implements Masker {
  readonly overlap: number;
  readonly work: MaskWork = { attempts: 0, steps: 0, overflows: 0 };
  readonly #forms: readonly Form[];
  /** Made with the first text: many maskers never see one. */
  #compiled: MaskTable | null = null;
  readonly #numbers: ReadonlySet<string>;
  readonly #maskName = memo((name) => this.maskText(name));

  constructor(values: readonly string[]) {
    this.#forms = valueForms(values);
    const longest = values.reduce((most, value) => Math.max(most, Buffer.byteLength(value)), 0);
    this.overlap = Math.max(RULE_OVERLAP, longest * LONGEST_UNIT);
    this.#numbers = secretNumbers(values);
  }

  get #table(): MaskTable {
    this.#compiled ??= this.#forms.length > 0 ? compileTable(this.#forms) : shapesTable();
    return this.#compiled;
  }

  scan(buf: Uint8Array, from: number, to: number, ends: Uint32Array, flags: Uint8Array): number {
    return this.#table.automaton.scan(buf, from, to, ends, flags);
  }

  maskLine(line: string): Masked {
    const { text, spans } = maskOneLine(line, this.#table, this.work);
    return { text, spans };
  }

  newStream(): MaskStream {
    return new Stream(this.#table, this.work);
  }

  maskText(text: string): string {
    if (!text.includes('\n')) return maskOneLine(text, this.#table, this.work).text;
    const stream = this.newStream();
    return text
      .split('\n')
      .map((line) => stream.maskLine(line).text)
      .join('\n');
  }

  maskJson(value: unknown): unknown {
    const maskExact = (text: string): string => {
      return maskOneLine(this.#hidden(text, LONG_VALUE), shapesTable(), this.work).text;
    };
    const isSecretNumber = (number: number): boolean => this.#isSecretNumber(number);
    const maskText = (text: string): string => this.maskText(text);
    const holdsValue = (text: string): boolean => this.holdsValue(text);
    return maskJsonValue({ maskText, maskName: this.#maskName, maskExact, isSecretNumber, holdsValue }, value);
  }

  hideValues(value: unknown): unknown {
    if (this.#forms.length === 0 && this.#numbers.size === 0) return value;
    return replaceValues(value, {
      text: (text) => this.#hidden(text, SHORTEST_FORM),
      number: (number) => (this.#isSecretNumber(number) ? MASK : number),
      holdsValue: (text) => this.holdsValue(text),
    });
  }

  holdsValue(text: string): boolean {
    return this.#forms.length > 0 && this.#hidden(text, SHORTEST_FORM) !== text;
  }

  #hidden(text: string, shortest: number): string {
    if (this.#forms.length === 0) return text;
    return hideForms(text, this.#table, shortest);
  }

  #isSecretNumber(number: number): boolean {
    return this.#numbers.size > 0 && this.#numbers.has(String(number));
  }
}

/**
 * A masker for these secret values (config properties marked secret, keys of the host) and all known shapes of secrets.
 * Values under 6 characters are ignored: they would hit ordinary words. Numbers of 5 digits are hidden in JSON only.
 */
export function createMasker(secretValues: readonly string[]): Masker {
  return new TableMasker(secretValues);
}

const made = new WeakMap<readonly string[], TextMasker>();

/**
 * The masker of this list of secret values, cached with the list; it is small, because the rules are shared. The list
 * must not be changed.
 */
export function maskerOf(secretValues: readonly string[]): TextMasker {
  const masker = made.get(secretValues) ?? createMasker(secretValues);
  made.set(secretValues, masker);
  return masker;
}
