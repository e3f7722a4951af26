import { isBehindEscape } from './escape-patterns.ts';
import { eachWord, mostSteps, stepsOf } from './line-masker.ts';
import type { MaskTable } from './mask-table.ts';
import { MASK } from './spans.ts';
import { unescapedOf } from './unescaped-text.ts';
import { isPart, standing } from './value-forms.ts';

/** Length from which a form counts at any place; shorter ones would match parts of ordinary words. */
export const LONG_VALUE = 16;

const isWordPart = (text: string | undefined): boolean => text !== undefined && /[A-Za-z0-9]/.test(text);

interface Place {
  readonly start: number;
  readonly end: number;
}

function counts(text: string, { start, end }: Place, form: string, shortest: number): boolean {
  if (form.length >= LONG_VALUE) return true;
  if (form.length < shortest || isWordPart(text[end])) return false;
  return !isWordPart(text[start - 1]) || isBehindEscape(text, start);
}

/** Finds the places of a table's values in a text; `rest` is the position at which the search stopped. */
function placesIn(
  text: string,
  table: MaskTable,
  shortest: number,
): { readonly found: Place[]; readonly rest: number } {
  const most = mostSteps(text.length);
  const found: Place[] = [];
  let steps = 0;
  let rest = text.length;
  let done = 0;
  eachWord(text, table.automaton, (word, at) => {
    if (at >= rest) return;
    for (const form of table.forms[word] ?? []) {
      if (isPart(form) && at < done) continue;
      const { start, end, looked, form: whole, rest: left } = standing(text, at, form);
      steps += stepsOf(looked);
      if (end === start || !counts(text, { start, end }, whole, shortest)) continue;
      found.push({ start, end });
      done = Math.max(done, end);
      // The longest form comes first, but after a partial one another form may cover more.
      if (left === '') break;
    }
    if (steps > most) rest = at;
  });
  return { found, rest };
}

/**
 * Replaces the secret values of a table in a text and nothing else: short ones only as whole words, those under
 * `shortest` characters not at all. Takes time linear in the text: if comparing takes too long, the rest is masked as a
 * whole.
 */
export function hideForms(text: string, table: MaskTable, shortest: number): string {
  const { found, rest: end } = placesIn(text, table, shortest);
  let rest = end;
  const view = unescapedOf(text);
  if (view !== null) {
    const seen = placesIn(view.text, table, shortest);
    for (const { start, end } of seen.found) found.push({ start: view.start(start), end: view.end(end - 1) });
    if (seen.rest < view.text.length) rest = Math.min(rest, view.start(seen.rest));
  }
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  let hidden = '';
  let done = 0;
  for (const { start, end } of found) {
    // Before a value that begins there, another one may stand that was not searched for.
    if (start >= rest) break;
    if (start >= done) hidden += text.slice(done, start) + MASK;
    // A value that begins within another may end after it.
    done = Math.max(done, end);
  }
  return hidden + (rest === text.length ? text.slice(done) : text.slice(done, Math.max(done, rest)) + MASK);
}
