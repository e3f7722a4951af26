import type { ProjectFile } from '../../../contract/project.ts';
import type { Draft } from './drafts.ts';

/** A file that is open in the editor. */
export interface OpenFile {
  readonly path: string;
  readonly kind: ProjectFile['kind'];
  /** What is on the disk as far as this page knows; null: no such file. */
  readonly saved: string | null;
  readonly version: string | null;
  readonly text: string;
  /** Rises when the text was replaced by something else than typing. */
  readonly revision: number;
  /** Another program wrote or removed the file while there were changes: nothing is written until somebody has chosen. */
  readonly trouble: 'changed' | 'gone' | null;
  readonly saving: boolean;
}

/** Whether a file holds what is not on the disk. */
export const isDirty = ({ kind, saved, text }: OpenFile): boolean => kind === 'text' && saved !== text;

/** A file as it was read, with what was typed before a reload. */
export function openedFile(file: ProjectFile, draft: Draft | null): OpenFile {
  const saved = file.content;
  const text = draft?.text ?? saved ?? '';
  const differs = draft !== null && draft.version !== file.version && text !== saved;
  return {
    path: file.path,
    kind: file.kind,
    saved,
    version: file.version,
    text,
    revision: 0,
    trouble: differs ? 'changed' : null,
    saving: false,
  };
}

/** A draft whose file is not there: never saved, or removed by another program meanwhile. */
export function openedDraft({ path, text, version }: Draft): OpenFile {
  const trouble = version === null ? null : 'gone';
  return { path, kind: 'text', saved: null, version: null, text, revision: 0, trouble, saving: false };
}

/** What becomes of an open file when the disk holds something else; the same object when nothing does. */
export function seenOnDisk(file: OpenFile, now: ProjectFile | null): OpenFile {
  if (now === null) return file.version === null ? file : { ...file, saved: null, version: null, trouble: 'gone' };
  if (now.version === file.version) return file;
  const known = { ...file, kind: now.kind, saved: now.content, version: now.version };
  if (!isDirty(file) && file.trouble === null) {
    return { ...known, text: now.content ?? '', revision: file.revision + 1 };
  }
  return { ...known, trouble: now.content === file.text ? null : 'changed' };
}

/** The text on the disk in place of the typed one. */
export const withTheirs = (file: OpenFile): OpenFile => ({
  ...file,
  text: file.saved ?? '',
  revision: file.revision + 1,
  trouble: null,
});
