import { maskerOf } from './masker.ts';
import { Spans } from './spans.ts';
import { SHORTEST_VALUE, secretForms } from './usual-encodings.ts';
import { foldAscii } from './word-index.ts';

/** A text as a host name has it, in lower case and without dots, with the place of each of its characters. */
function squeezed(text: string): { readonly text: string; readonly places: readonly number[] } {
  const places: number[] = [];
  for (let at = 0; at < text.length; at += 1) if (text[at] !== '.') places.push(at);
  return { text: foldAscii(text).replaceAll('.', ''), places };
}

/** The forms of these values by how they begin, each list with the longest first. */
function formsByHead(values: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const forms = new Set(values.flatMap((value) => secretForms(value)).map((form) => squeezed(form).text));
  const known = [...forms].filter((form) => form.length >= SHORTEST_VALUE).sort((a, b) => b.length - a.length);
  return Map.groupBy(known, (form) => form.slice(0, SHORTEST_VALUE));
}

/**
 * Returns what masks texts with names of hosts that a program has asked for: as the log masks a text, and also secrets whose capitals
 * the name has lost, and those that dots cut, because a label has 63 characters at most.
 */
export function hostNameMasker(values: readonly string[]): (text: string) => string {
  const byHead = formsByHead(values);
  const masker = maskerOf(values);
  return (text) => {
    const { text: short, places } = squeezed(text);
    const spans = new Spans();
    for (let at = 0; at + SHORTEST_VALUE <= short.length; at += 1) {
      const form = byHead.get(short.slice(at, at + SHORTEST_VALUE))?.find((one) => short.startsWith(one, at));
      if (form !== undefined) spans.add(places[at] ?? 0, (places[at + form.length - 1] ?? 0) + 1);
    }
    return masker.maskText(spans.apply(text).text);
  };
}
