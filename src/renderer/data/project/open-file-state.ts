import type { ProjectFile } from '../../../contract/project.ts';
import type { Draft } from './drafts.ts';

/** A file that is open in the editor. */
export interface OpenFile {
  readonly path: string;
  readonly kind: ProjectFile['kind'];
  /** The disk's text, as far as this page knows; null: no such file, or no text. */
  readonly saved: string | null;
  readonly version: string | null;
  /** The version from which the text began: a save replaces only this one without a question. */
  readonly base: string | null;
  /** The text of a save without an answer yet; null: none. */
  readonly sent: string | null;
  readonly text: string;
  /** Rises when something other than typing has replaced the text. */
  readonly revision: number;
  /** Another program wrote or removed a changed file: the page writes nothing until the user chooses. */
  readonly trouble: 'changed' | 'gone' | null;
}

/** True if a file has unsaved text. */
export const isDirty = ({ kind, saved, text }: OpenFile): boolean => kind === 'text' && saved !== text;

/** A file with the draft from before a reload. */
export function openedFile(file: ProjectFile, draft: Draft | null): OpenFile {
  const { path, version, content: saved } = file;
  const { kind } = file;
  const text = saved ?? '';
  const read = { path, kind, saved, version, base: version, sent: null, text, revision: 0, trouble: null };
  if (draft === null || draft.text === saved) return read;
  // A draft stays a text, even if the file has become another kind.
  const typed = { ...read, kind: 'text', text: draft.text, base: draft.version } as const;
  return draft.version === version ? typed : { ...typed, trouble: 'changed' };
}

/** A draft without its file: never saved, or removed by another program meanwhile. */
export function openedDraft({ path, text, version: base }: Draft): OpenFile {
  const trouble = base === null ? null : 'gone';
  return { path, kind: 'text', saved: null, version: null, base, sent: null, text, revision: 0, trouble };
}

/** Returns an open file after a look at the disk, where `now` is its content; the same object when nothing changes. */
export function seenOnDisk(file: OpenFile, now: ProjectFile | null): OpenFile {
  if (now === null) {
    const isKnown = file.trouble === 'gone' || (file.version === null && file.base === null);
    return isKnown ? file : { ...file, saved: null, version: null, trouble: 'gone' };
  }
  if (now.version === file.version) return file;
  if (!isDirty(file) && file.trouble === null) return { ...openedFile(now, null), revision: file.revision + 1 };
  const known = { ...file, saved: now.content, version: now.version };
  const isOwn = now.content === file.text || (file.sent !== null && now.content === file.sent);
  if (isOwn) return { ...known, base: now.version, sent: null, trouble: null };
  return { ...known, trouble: now.version === file.base ? null : 'changed' };
}
