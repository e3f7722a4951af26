/** Most texts, and most characters of each. */
const MOST = 1000;
const LONGEST = 64;

/** A text of its own: a part of a text would keep all of it in memory. */
const copied = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');

/** The same function with a cache for short texts, because bots print the same names again and again. */
export function memo<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const made = make(text);
    if (text.length > LONGEST) return made;
    if (known.size === MOST) known.clear();
    known.set(copied(text), made);
    return made;
  };
}
