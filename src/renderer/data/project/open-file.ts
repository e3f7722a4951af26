import type { ProjectFile } from '../../../contract/project.ts';
import type { Draft } from './drafts.ts';

/** A file that is open in the editor. */
export interface OpenFile {
  readonly path: string;
  readonly kind: ProjectFile['kind'];
  /** What is on the disk as far as this page knows; null: no such file, or no text. */
  readonly saved: string | null;
  readonly version: string | null;
  /** The version that the text began as: the only one that a save replaces unasked. */
  readonly base: string | null;
  readonly text: string;
  /** Rises when the text was replaced by something else than typing. */
  readonly revision: number;
  /** Another program wrote or removed the file while there were changes: nothing is written until somebody has chosen. */
  readonly trouble: 'changed' | 'gone' | null;
}

/** Whether a file holds what is not on the disk. */
export const isDirty = ({ kind, saved, text }: OpenFile): boolean => kind === 'text' && saved !== text;

/** A file as it was read, with what was typed before a reload. */
export function openedFile(file: ProjectFile, draft: Draft | null): OpenFile {
  const { path, version, content: saved } = file;
  const read = { path, kind: file.kind, saved, version, base: version, text: saved ?? '', revision: 0, trouble: null };
  if (draft === null || draft.text === saved) return read;
  // What was typed stays a text, whatever the file has become.
  const typed = { ...read, kind: 'text', text: draft.text, base: draft.version } as const;
  return draft.version === version ? typed : { ...typed, trouble: 'changed' };
}

/** A draft whose file is not there: never saved, or removed by another program meanwhile. */
export function openedDraft({ path, text, version: base }: Draft): OpenFile {
  const trouble = base === null ? null : 'gone';
  return { path, kind: 'text', saved: null, version: null, base, text, revision: 0, trouble };
}

/** What becomes of an open file when the disk holds something else; the same object when nothing does. */
export function seenOnDisk(file: OpenFile, now: ProjectFile | null): OpenFile {
  if (now === null) return file.version === null ? file : { ...file, saved: null, version: null, trouble: 'gone' };
  if (now.version === file.version) return file;
  if (!isDirty(file) && file.trouble === null) return { ...openedFile(now, null), revision: file.revision + 1 };
  const known = { ...file, saved: now.content, version: now.version };
  return now.content === file.text ? { ...known, base: now.version, trouble: null } : { ...known, trouble: 'changed' };
}
