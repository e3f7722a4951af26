/**
 * The parameters in the text of a JSON object, as pairs of texts: a value that is not a text is given as JSON. An empty text
 * holds none. Throws when the text is not a JSON object.
 */
export function jsonParams(text) {
  if (text.trim() === '') return [];
  const all = JSON.parse(text);
  if (typeof all !== 'object' || all === null || Array.isArray(all)) throw new TypeError('not a JSON object');
  return Object.entries(all).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
}
