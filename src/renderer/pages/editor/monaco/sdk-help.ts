import type { EditorLanguage, SdkEntry } from '../../../../runtimes/runtime.ts';

/** Help of an SDK for the editor. */
export type Sdk = NonNullable<EditorLanguage['sdk']>;

/** Entries that may follow the typed part of a line. */
export function suggestionsOf({ modules, entries }: Sdk, typed: string): readonly SdkEntry[] {
  const member = /(?:^|[^\w.])(\w+)\.\w*$/.exec(typed)?.[1];
  if (member !== undefined) {
    return modules.includes(member) ? entries.filter(({ name }) => name.startsWith(`${member}.`)) : [];
  }
  if (/\.\w*$/.test(typed) || /#/.test(typed)) return [];
  return entries.filter(({ name }) => !name.includes('.'));
}

/** The entry of a word with its context; null for any other word. */
export function entryAt({ imported, entries }: Sdk, before: string, word: string, text: string): SdkEntry | null {
  if (!imported.test(text)) return null;
  const owner = /(\w+)\.$/.exec(before)?.[1];
  const name = owner === undefined ? word : `${owner}.${word}`;
  return entries.find((entry) => entry.name === name) ?? null;
}
