/** Name and port of a Host header; null for anything that is not exactly that. */
export function parseHost(text: string): { readonly name: string; readonly port: string } | null {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i.exec(text);
  if (match === null) return null;
  return { name: (match[1] ?? '').replace(/^\[|\]$/g, '').toLowerCase(), port: match[2] ?? '' };
}
