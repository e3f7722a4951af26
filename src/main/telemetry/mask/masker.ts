import { hideForms, LONG_VALUE } from './exact-values.ts';
import { SHORTEST_FORM, secretForms } from './forms.ts';
import { type Gate, scan } from './gate.ts';
import { compileTable, type MaskTable, type MaskWork, maskOneLine } from './line-masker.ts';
import { maskJsonValue, replaceValues } from './mask-json.ts';
import { PEM_LINES, pemEnd } from './pem.ts';
import { MASK, type Masked } from './spans.ts';

/** Masks the lines of one stream in order: it remembers that a private key block has begun. */
export interface MaskStream {
  /** A private key block is open: the next line must go through maskLine whatever the gate says. */
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
   * A JSON value in which only the secret values of this masker are replaced, wherever they stand, keys included. For what
   * a program answers: its other texts are data, whatever they look like.
   */
  hideValues(value: unknown): unknown;
}

/** Masks what a bot says (wire.md section 10). */
export interface Masker extends TextMasker {
  /** Finds line ends and marks the lines that must be masked; lines it does not mark are clean. See scan. */
  readonly gate: Gate;
  /** Bytes that must be seen beyond a cut in a long line, so that no secret lies across it unseen. */
  readonly overlap: number;
  readonly work: Readonly<MaskWork>;
  scan(buf: Uint8Array, from: number, to: number, ends: Uint32Array, flags: Uint8Array): number;
  /** Masks one line by itself. For the lines of a stream use newStream: a private key block has many lines. */
  maskLine(line: string): Masked;
  newStream(): MaskStream;
}

class Stream implements MaskStream {
  readonly #tables: readonly MaskTable[];
  readonly #work: MaskWork;
  /** Lines that an open private key block may still have. */
  #block = 0;

  constructor(tables: readonly MaskTable[], work: MaskWork) {
    this.#tables = tables;
    this.#work = work;
  }

  get inBlock(): boolean {
    return this.#block > 0;
  }

  maskLine(line: string): Masked {
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

  #mask(line: string): Masked {
    const { text, spans, pemOpen } = maskOneLine(line, this.#tables, this.#work);
    if (pemOpen) this.#block = PEM_LINES;
    return { text, spans };
  }
}

/** Longest window of a rule, in bytes. */
const RULE_OVERLAP = 1280;

let withoutValues: MaskTable | null = null;

/** The rules alone. */
function shapesTable(): MaskTable {
  withoutValues ??= compileTable([], true);
  return withoutValues;
}

/** Numbers with fewer digits are left: ordinary counts and prices would be hit. */
const NUMBER_DIGITS = 5;

/** Whole numbers of more digits than a double holds: a bot in another language writes them out, and we read them rounded. */
const LONG_NUMBER = /^[1-9]\d{15,}$/;

/** The secret values that are numbers, as JavaScript writes them once it has read them. */
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
  /** Longest first. */
  readonly #forms: readonly string[];
  #whole: MaskTable | null = null;
  #values: MaskTable | null = null;
  readonly #numbers: ReadonlySet<string>;

  constructor(values: readonly string[]) {
    this.#forms = [...new Set(values.flatMap(secretForms))].sort((a, b) => b.length - a.length);
    const longest = this.#forms.reduce((most, form) => Math.max(most, Buffer.byteLength(form)), 0);
    this.overlap = Math.max(RULE_OVERLAP, longest);
    this.#numbers = secretNumbers(values);
  }

  /** For lines, which are many: they are gone through once. Compiled with the first, as it takes a megabyte. */
  get #table(): MaskTable {
    this.#whole ??= this.#forms.length > 0 ? compileTable(this.#forms, true) : shapesTable();
    return this.#whole;
  }

  /** For texts, which are few: the rules of all maskers and the values, one after the other, unless lines are masked too. */
  get #tables(): readonly MaskTable[] {
    if (this.#whole !== null || this.#forms.length === 0) return [this.#table];
    return [shapesTable(), this.#valueTable];
  }

  get #valueTable(): MaskTable {
    this.#values ??= compileTable(this.#forms, false);
    return this.#values;
  }

  get gate(): Gate {
    return this.#table.gate;
  }

  scan(buf: Uint8Array, from: number, to: number, ends: Uint32Array, flags: Uint8Array): number {
    return scan(this.#table.gate, buf, from, to, ends, flags);
  }

  maskLine(line: string): Masked {
    const { text, spans } = maskOneLine(line, [this.#table], this.work);
    return { text, spans };
  }

  newStream(): MaskStream {
    return new Stream([this.#table], this.work);
  }

  maskText(text: string): string {
    const stream = new Stream(this.#tables, this.work);
    if (!text.includes('\n')) return stream.maskLine(text).text;
    return text
      .split('\n')
      .map((line) => stream.maskLine(line).text)
      .join('\n');
  }

  maskJson(value: unknown): unknown {
    const shapes = [shapesTable()];
    const maskExact = (text: string): string => {
      return maskOneLine(this.#hidden(text, LONG_VALUE), shapes, this.work).text;
    };
    const isSecretNumber = (number: number): boolean => this.#isSecretNumber(number);
    return maskJsonValue({ maskText: (text) => this.maskText(text), maskExact, isSecretNumber }, value);
  }

  hideValues(value: unknown): unknown {
    if (this.#forms.length === 0 && this.#numbers.size === 0) return value;
    return replaceValues(value, {
      text: (text) => this.#hidden(text, SHORTEST_FORM),
      number: (number) => (this.#isSecretNumber(number) ? MASK : number),
    });
  }

  #hidden(text: string, shortest: number): string {
    if (this.#forms.length === 0) return text;
    return hideForms(text, this.#valueTable, shortest);
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
 * The masker of this list of secret values, for whoever asks by the list again and again: it is kept with the list, and
 * small, as the rules are shared. The list must not be changed.
 */
export function maskerOf(secretValues: readonly string[]): TextMasker {
  const masker = made.get(secretValues) ?? createMasker(secretValues);
  made.set(secretValues, masker);
  return masker;
}
