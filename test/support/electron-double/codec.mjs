// Values between the main process and a page, as text: the forms of page-world.js, without functions and promises.

export function encode(value) {
  if (value === undefined) return { kind: 'undefined' };
  if (value === null || ['boolean', 'string', 'number'].includes(typeof value)) return { kind: 'plain', value };
  if (typeof value === 'function' || typeof value === 'symbol') throw new Error('An object could not be cloned.');
  if (value instanceof Error) return { kind: 'error', message: value.message };
  if (Array.isArray(value)) return { kind: 'array', items: value.map(encode) };
  return { kind: 'object', fields: Object.keys(value).map((key) => [key, encode(value[key])]) };
}

export function decode(text) {
  switch (text.kind) {
    case 'undefined':
      return undefined;
    case 'plain':
      return text.value;
    case 'error':
      return new Error(text.message);
    case 'array':
      return text.items.map(decode);
    default:
      return Object.fromEntries(text.fields.map(([key, item]) => [key, decode(item)]));
  }
}
