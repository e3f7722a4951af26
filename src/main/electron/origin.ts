/** Origin of an address; null for one that has none, such as `data:`. */
export function originOf(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { origin } = new URL(address);
  return origin === 'null' ? null : origin;
}
