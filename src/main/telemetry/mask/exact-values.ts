import { isBehindEscape } from './escapes.ts';
import { commonLength, eachWord, type MaskTable, mostSteps, stepsOf } from './line-masker.ts';
import { MASK } from './spans.ts';

/** Forms of this length count wherever they stand; shorter ones would hit parts of ordinary words. */
export const LONG_VALUE = 16;

const isWordPart = (text: string | undefined): boolean => text !== undefined && /[A-Za-z0-9]/.test(text);

function counts(text: string, start: number, form: string, shortest: number): boolean {
  if (form.length >= LONG_VALUE) return true;
  if (form.length < shortest || isWordPart(text[start + form.length])) return false;
  return !isWordPart(text[start - 1]) || isBehindEscape(text, start);
}

/**
 * A text in which the secret values of a table are replaced and nothing else: short ones as whole words only, those under
 * `shortest` characters not at all. Costs time linear in the text: where comparing takes too long, the rest is masked whole.
 */
export function hideForms(text: string, table: MaskTable, shortest: number): string {
  const most = mostSteps(text.length);
  const found: { readonly start: number; readonly end: number }[] = [];
  let steps = 0;
  let rest = text.length;
  eachWord(text, table.gate, (word, start) => {
    if (start >= rest) return;
    for (const form of table.forms[word] ?? []) {
      const length = commonLength(text, start, form);
      steps += stepsOf(length);
      if (length < form.length || !counts(text, start, form, shortest)) continue;
      // The longest comes first.
      found.push({ start, end: start + length });
      break;
    }
    if (steps > most) rest = start;
  });
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  let hidden = '';
  let done = 0;
  for (const { start, end } of found) {
    if (start >= done) hidden += text.slice(done, start) + MASK;
    // One that begins within another may end after it.
    done = Math.max(done, end);
  }
  return hidden + (rest === text.length ? text.slice(done) : text.slice(done, Math.max(done, rest)) + MASK);
}
