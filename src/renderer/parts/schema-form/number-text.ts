/** The number that a text is; the text itself where it is none, so that it can be said what is wrong with it. */
export function toNumber(text: string): number | string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const value = Number(trimmed);
  return Number.isFinite(value) && /^[-+]?[\d.]/.test(trimmed) && !/^0x/i.test(trimmed) ? value : text;
}
