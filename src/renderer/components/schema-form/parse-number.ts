/** The number in a text; the text itself if it is none, so that the check can name the problem. */
export function toNumber(text: string): number | string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const value = Number(trimmed);
  return Number.isFinite(value) && /^[-+]?[\d.]/.test(trimmed) && !/^0x/i.test(trimmed) ? value : text;
}
