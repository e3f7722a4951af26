import { isNoWord } from './encodings.ts';
import { beforeLetters, behindLetters, Spelled, type SpelledRest, spelledForms, spelledOn } from './spelled.ts';
import { base64Forms, SHORTEST_VALUE, secretForms } from './usual-encodings.ts';
import { foldAscii } from './word-index.ts';

/** Length of a form's beginning that the keyword automaton searches for; the rest is compared. */
export const GATE_LENGTH = 8;
/** Length over which a form must agree to count as found in a text that was cut off. */
const ENOUGH = 64;
/** Number of values of one bot that are known in every encoding; the others are known in the most common ones. */
const ELABORATE_VALUES = 32;

/** Part of a value, by its position. A text that contains enough of a value contains one of its parts as a whole. */
export class Part {
  readonly value: string;
  readonly at: number;
  /** True if the part is hex or base64, which no word is. */
  readonly isEncoded: boolean;

  constructor(value: string, at: number, isEncoded: boolean) {
    this.value = value;
    this.at = at;
    this.isEncoded = isEncoded;
  }
}

const PART = 6;
/**
 * Steps from one part to the next: in the value itself, and in its hex and base64, of which more is left where a line
 * breaks it.
 */
const STEP = PART;
const ENCODED_STEP = 2 * PART;
/** Length from which a value is recognised by a remaining part, if the part is long enough. */
const SHORTEST_PARTED = 20;
const SHORTEST_LEFT = 12;
/** Length from which only the beginning of a value is compared. */
const LONGEST_PARTED = 512;

/** One form in which a value may stand in a text. */
export type Form = string | Spelled | Part;

/** Parts are useless where the whole value has been found. */
export const isPart = (form: Form): boolean => form instanceof Part;

/** Marks of paths and addresses, which a value may share with other texts. */
const ORDINARY = /[a-z]{3}[/.]|[/.][a-z]{3}/;
/** Changes of the kind of character that are rare in a word: to a capital within it, to a digit and from one. */
const CHANGES = /[a-z](?=[A-Z])|[A-Za-z](?=\d)|\d(?=[A-Za-z])/g;

/** True if a text is not made of words: capitals, small letters and digits alternate in it. */
function isRandom(text: string): boolean {
  if (/[\s:]/.test(text)) return false;
  return (text.match(CHANGES)?.length ?? 0) >= (ORDINARY.test(text) ? 4 : 2);
}

function partsOf(text: string, isEncoded: boolean): Part[] {
  if (text.length < SHORTEST_PARTED) return [];
  const found: Part[] = [];
  for (let at = 0; at + PART <= Math.min(text.length, LONGEST_PARTED); at += isEncoded ? ENCODED_STEP : STEP) {
    const around = text.slice(Math.max(0, at - PART), at + 2 * PART);
    if (isEncoded || isRandom(around)) found.push(new Part(text, at, isEncoded));
  }
  return found;
}

/** Returns the parts of a value that identify its remains. */
function parts(value: string): Part[] {
  const encoded = [Buffer.from(value).toString('hex'), ...base64Forms(value)];
  return [...partsOf(value, false), ...encoded.flatMap((text) => partsOf(text, true))];
}

/** Returns all forms of these values, each once, the longest texts first. */
export function valueForms(values: readonly string[]): Form[] {
  const known = [...new Set(values)];
  const texts = new Set(known.flatMap((value, i) => secretForms(value, i < ELABORATE_VALUES)));
  const elaborate = known
    .slice(0, ELABORATE_VALUES)
    .map((value) => value.toWellFormed().trim())
    .filter((value) => value.length >= SHORTEST_VALUE && value.length <= LONGEST_PARTED && !/[\r\n]/.test(value));
  return [
    ...[...texts].sort((a, b) => b.length - a.length),
    ...elaborate.flatMap(spelledForms),
    ...elaborate.flatMap(parts),
  ];
}

/** Returns the word that the keyword automaton searches for: the beginning of the form, cut between characters. */
export function gateWord(form: Form): string {
  if (form instanceof Part) return foldAscii(form.value.slice(form.at, form.at + PART)).toWellFormed();
  const word = foldAscii(form instanceof Spelled ? form.head : form.slice(0, GATE_LENGTH));
  return word.isWellFormed() ? word : word.slice(0, -1);
}

/** A form in a text: `looked` is the number of characters examined, `rest` the missing part. */
export interface Standing {
  readonly start: number;
  readonly end: number;
  readonly looked: number;
  readonly form: string;
  readonly rest: Rest;
}

/** Rest of a value with which the next line may continue: a text, or units that spell it out. */
export type Rest = string | SpelledRest;

const folded = (code: number): number =>
  code < 128 ? (code >= 65 && code <= 90 ? code + 32 : code) : String.fromCharCode(code).toLowerCase().charCodeAt(0);

/** Returns the number of a form's characters at a place. For a form that is certainly no word, case does not matter. */
function commonLength(text: string, at: number, form: string): number {
  if (text.startsWith(form, at)) return form.length;
  let length = 0;
  const anyCase = isNoWord(form);
  for (; length < form.length; length++) {
    const one = text.charCodeAt(at + length);
    const other = form.charCodeAt(length);
    if (one !== other && !(anyCase && folded(one) === folded(other))) break;
  }
  return length;
}

/** Text that may follow where a line breaks a value: quotes, the marks of shells, YAML and mails. */
const BROKEN_OFF = /^[\s\\"'`+,;=)\]}]{0,8}$/;

/** True if a text ends with the beginning of a form that cannot be there by chance. */
function isBrokenOff(text: string, at: number, form: string, length: number): boolean {
  if (length < GATE_LENGTH || text.length - at - length > 8) return false;
  if (!isRandom(form.slice(0, length)) && length * 2 < form.length) return false;
  return BROKEN_OFF.test(text.slice(at + length));
}

/** Quotes and blanks at the ends of a partial value may belong to the surrounding text. */
const FRAME = /["'\\\s]/;

/** Number of characters behind a separator of groups that cannot be chance. */
const SHORTEST_GROUP = 3;

const sameAt = (text: string, at: number, value: string, offset: number): boolean =>
  folded(text.charCodeAt(at)) === folded(value.charCodeAt(offset));

/** True if a group of a value begins at a place, or ends there if `step` is -1. */
function isGroup(text: string, at: number, value: string, offset: number, step: 1 | -1): boolean {
  for (let i = 0; i < SHORTEST_GROUP; i++) {
    const next = offset + i * step;
    if (next < 0 || next >= value.length) return true;
    if (!sameAt(text, at + i * step, value, next)) return false;
  }
  return true;
}

/** Counts the characters of a value before a place, including separators between groups; `start` is where they begin. */
function partBefore(text: string, at: number, value: string, offset: number): { count: number; start: number } {
  let count = 0;
  let start = at;
  while (count < offset) {
    const wanted = offset - count - 1;
    if (!sameAt(text, start - 1, value, wanted)) {
      const before = beforeLetters(text, start);
      if (before === start || !isGroup(text, before - 1, value, wanted, -1)) break;
      start = before;
    }
    start -= 1;
    count += 1;
  }
  return { count, start };
}

/** Counts the characters of a value behind a place in the same way. */
function partBehind(text: string, at: number, value: string, offset: number): { count: number; end: number } {
  let count = 0;
  let end = at;
  while (offset + count < value.length) {
    const wanted = offset + count;
    if (!sameAt(text, end, value, wanted)) {
      const next = behindLetters(text, end);
      if (next === end || !isGroup(text, next, value, wanted, 1)) break;
      end = next;
    }
    end += 1;
    count += 1;
  }
  return { count, end };
}

function standingPart(text: string, at: number, { value, at: offset, isEncoded }: Part): Standing {
  const before = partBefore(text, at, value, offset);
  const behind = partBehind(text, at, value, offset);
  let { start } = before;
  let { end } = behind;
  const looked = end - start;
  let first = offset - before.count;
  let last = offset + behind.count;
  while (start < at && FRAME.test(text[start] ?? '')) {
    start += 1;
    first += 1;
  }
  while (end > at && FRAME.test(text[end - 1] ?? '')) {
    end -= 1;
    last -= 1;
  }
  if (behind.count < PART || last - first < SHORTEST_LEFT || !(isEncoded || isRandom(value.slice(first, last)))) {
    return { start, end: start, looked, form: value, rest: '' };
  }
  return { start, end, looked, form: value, rest: value.slice(last) };
}

/**
 * Returns the part of a form at a place where the keyword automaton found its beginning; `end` is `start` if it is too
 * short.
 */
export function standing(text: string, at: number, form: Form): Standing {
  if (form instanceof Part) return standingPart(text, at, form);
  if (form instanceof Spelled) {
    const { start, end, looked, rest } = form.standing(text, at);
    return { start, end, looked, form: form.value, rest };
  }
  const whole = form;
  const looked = commonLength(text, at, whole);
  if (looked === whole.length) return { start: at, end: at + looked, looked, form: whole, rest: '' };
  let end = at;
  if (looked >= ENOUGH || isBrokenOff(text, at, whole, looked)) end += looked;
  while (end > at && FRAME.test(text[end - 1] ?? '')) end -= 1;
  return { start: at, end, looked, form: whole, rest: whole.slice(end - at) };
}

/** Text that may stand before a value that continues from the line before. */
const LEADING = /^[\s"'`>|#*+\\.-]{0,64}/;

/** Returns the position of a value's rest at the beginning of a line, or null. `rest` remains for the next line. */
export function continued(line: string, rest: Rest): { start: number; end: number; rest: Rest } | null {
  if (typeof rest !== 'string') return spelledOn(line, rest);
  const leading = LEADING.exec(line)?.[0].length ?? 0;
  const wanted = rest.trimStart();
  for (let start = leading; start >= 0; start--) {
    const length = commonLength(line, start, wanted);
    if (length === wanted.length) return { start, end: start + length, rest: '' };
    if (length > 0 && BROKEN_OFF.test(line.slice(start + length))) {
      return { start, end: start + length, rest: wanted.slice(length) };
    }
  }
  return null;
}
