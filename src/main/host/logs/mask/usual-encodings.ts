import { base64Cores, furtherEncodings } from './encodings.ts';
import { unescapedOf } from './unescaped-text.ts';

/** Secret values shorter than this are not masked: they would hit ordinary words. */
export const SHORTEST_VALUE = 6;
/** Encoded forms shorter than this are left out. */
export const SHORTEST_FORM = 4;

const XML_NAMES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

const lowerEscapes = (text: string): string => text.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());

const percent = (c: string): string => `%${c.charCodeAt(0).toString(16).toUpperCase()}`;

/** The habits of URL encoders: they differ in which of !'()*~ and / they leave alone, and in + for a blank. */
function urlForms(value: string): string[] {
  const component = encodeURIComponent(value);
  const quoted = component.replaceAll(/[!'()*]/g, percent);
  const strict = quoted.replaceAll('~', '%7E');
  const form = component.replaceAll(/[!'()~]/g, percent);
  const forms = [component, quoted, strict, form, component.replaceAll('%2F', '/'), quoted.replaceAll('%2F', '/')];
  const all = [encodeURI(value), ...forms, ...forms.map((text) => text.replaceAll('%20', '+'))];
  return [...all, ...all.map(lowerEscapes)];
}

const unicode = (c: string): string => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`;
const upperUnicode = (text: string): string =>
  text.replaceAll(/\\u[0-9a-f]{4}/g, (c) => `\\u${c.slice(2).toUpperCase()}`);

/** The habits of JSON writers: which characters beside those of JSON itself they escape, and in which hex case. */
function jsonForms(value: string): string[] {
  const escaped = JSON.stringify(value).slice(1, -1);
  const ascii = escaped.replaceAll(/[^\0-\x7f]/g, unicode);
  const slashes = escaped.replaceAll('/', '\\/');
  const twice = JSON.stringify(escaped).slice(1, -1);
  const thrice = JSON.stringify(twice).slice(1, -1);
  const html = escaped.replaceAll(/[<>&]/g, unicode);
  const gson = escaped.replaceAll(/[<>&='\u2028\u2029]/g, unicode);
  const cautious = upperUnicode(ascii.replaceAll('\\"', '\\u0022').replaceAll(/[<>&'+`]/g, unicode));
  return [escaped, ascii, upperUnicode(ascii), slashes, twice, thrice, html, gson, cautious];
}

function xmlForms(value: string): string[] {
  const named = value.replaceAll(/[&<>"']/g, (c) => XML_NAMES[c] ?? c);
  return [
    named,
    named.replaceAll('&apos;', '&#39;'),
    named.replaceAll('&apos;', '&#x27;'),
    named.replaceAll('&apos;', "'"),
  ];
}

/** Base64 of a text at each of the three positions in a longer one, cut to the characters that it alone decides. */
export const base64Forms = (value: string): string[] => base64Cores(Buffer.from(value));

/** Longer values get only the most common encodings. */
const LONGEST_ELABORATE = 512;

function encodings(value: string): string[] {
  const hex = Buffer.from(value).toString('hex');
  return [...jsonForms(value), ...urlForms(value), ...xmlForms(value), hex, hex.toUpperCase(), ...base64Forms(value)];
}

/**
 * Every text in which a secret value may appear on one line: itself, JSON-escaped, URL-encoded (both hex cases),
 * XML-escaped, hex, base64 and base64url at three alignments; for a value of several lines also each line. `elaborate`:
 * also the encodings of encodings.ts, and its form with its own escapes undone. Longest first, without duplicates.
 * Empty for values under 6 characters.
 */
export function secretForms(value: string, elaborate = true): string[] {
  const whole = value.toWellFormed();
  if (whole.trim().length < SHORTEST_VALUE) return [];
  const forms = new Set<string>();
  const add = (text: string): void => {
    if (text.trim().length >= SHORTEST_FORM && !/[\r\n]/.test(text)) forms.add(text);
  };
  for (const text of new Set([whole, whole.trim()])) {
    add(text);
    for (const form of encodings(text)) add(form);
    if (!elaborate || text.length > LONGEST_ELABORATE) continue;
    for (const form of furtherEncodings(text)) add(form);
    add(unescapedOf(text)?.text ?? text);
  }
  const lines = whole.split(/\r\n|\n|\r/);
  if (lines.length > 1) {
    for (const line of lines.map((text) => text.trim())) {
      if (line.length < SHORTEST_VALUE) continue;
      add(line);
      for (const form of [...jsonForms(line), ...urlForms(line)]) add(form);
    }
  }
  return [...forms].sort((a, b) => b.length - a.length);
}
