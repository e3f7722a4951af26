interface Kind {
  /** First words of `UnitExit.limit`. */
  readonly name: string;
  readonly what: string;
  readonly hint: string;
}

const KINDS: readonly Kind[] = [
  {
    name: 'out of memory',
    what: 'used more memory than it may',
    hint: 'Raise options.memory_mb, or keep less in memory.',
  },
  {
    name: 'too many processes',
    what: 'started more processes than it may',
    hint: 'Raise options.max_processes, or start fewer and wait for them.',
  },
];
const OTHER: Kind = { name: '', what: 'was over a limit', hint: 'Raise the limit or use less.' };

/**
 * Returns `UnitExit.limit` in words for people: what the program did, to be put behind its name, and the remedy.
 * `limitIn` finds the limit again where only the log line is left.
 */
export function explainLimit(limit: string): { readonly what: string; readonly hint: string } {
  const { name, what, hint } = KINDS.find((kind) => limit.startsWith(`${kind.name}: `)) ?? OTHER;
  return { what: `${what} (${name === '' ? limit : limit.slice(name.length + 2)})`, hint };
}

/** Returns the limit named in a text of `explainLimit`; null for other texts. */
export function limitIn(text: string): string | null {
  for (const { name, what } of [...KINDS, OTHER]) {
    const at = text.indexOf(`${what} (`);
    const end = text.indexOf(')', at);
    if (at < 0 || end < 0) continue;
    const detail = text.slice(at + what.length + 2, end);
    return name === '' ? detail : `${name}: ${detail}`;
  }
  return null;
}
