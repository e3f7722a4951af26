import type { Output } from '../../../contract/operations.ts';
import type { ProjectMatch } from '../../../contract/project.ts';
import { counted } from '../../../shared/counted.ts';
import { matchesIn, replaceMatches } from '../../../shared/project-text-matches.ts';
import { HostError } from '../host-error.ts';
import { isDirty, type OpenFile } from './open-file-state.ts';
import type { OpenFiles } from './open-files.ts';
import type { SessionParts } from './state.ts';

/** A question to the project. */
export interface Wanted {
  readonly text: string;
  readonly matchCase: boolean;
}

/** A file as a replacement found and left it. */
interface Replaced {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** Matches in it. */
  readonly count: number;
  /** False: it had unsaved text, which stays unsaved. */
  readonly isSaved: boolean;
}

const isUnsaved = (file: OpenFile | undefined): file is OpenFile => file !== undefined && isDirty(file);

/** Puts what is typed and not saved in the place of what the host found in the saved files. */
export function withUnsaved(
  found: Output<'projects.search'>,
  files: ReadonlyMap<string, OpenFile>,
  { text, matchCase }: Wanted,
): Output<'projects.search'> {
  const unsaved = [...files.values()].filter(isUnsaved);
  if (unsaved.length === 0) return found;
  const saved = found.matches.filter(({ path }) => !isUnsaved(files.get(path)));
  const typed = unsaved.flatMap((file) => [...matchesIn(file.path, file.text, text, matchCase)]);
  return { ...found, matches: [...typed, ...saved] };
}

const isSame = (a: readonly ProjectMatch[], b: readonly ProjectMatch[]): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

/**
 * Replaces a text in the files of a project: exactly the matches that were shown, in what is typed where a file is open with
 * unsaved text, and else on the disk. A file that is no longer as it was shown stays as it is.
 */
export class Replacements {
  readonly #parts: SessionParts;
  readonly #files: OpenFiles;

  constructor(parts: SessionParts, files: OpenFiles) {
    this.#parts = parts;
    this.#files = files;
  }

  /** Replaces the shown matches, says what was done and offers to undo it. */
  async replace(wanted: Wanted, shown: readonly ProjectMatch[], replacement: string): Promise<void> {
    const done: Replaced[] = [];
    for (const [path, matches] of Map.groupBy(shown, (match) => match.path)) {
      const one = await this.#tried(path, () => this.#replaceIn(path, matches, wanted, replacement));
      if (one !== null) done.push(one);
    }
    if (done.length === 0) return;
    const places = done.reduce((sum, one) => sum + one.count, 0);
    const words = `Replaced in ${counted(places, 'place')} of ${counted(done.length, 'file')}`;
    this.#parts.voice.done(words, () => void this.#undo(done));
  }

  async #tried<T>(path: string, work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (thrown) {
      this.#parts.voice.failed(`${path} was left as it is`, thrown);
      return null;
    }
  }

  async #replaceIn(
    path: string,
    shown: readonly ProjectMatch[],
    { text, matchCase }: Wanted,
    replacement: string,
  ): Promise<Replaced> {
    const change = (before: string): string => {
      if (!isSame([...matchesIn(path, before, text, matchCase)], shown)) throw otherThanShown();
      return replaceMatches(before, text, matchCase, replacement);
    };
    return { path, count: shown.length, ...(await this.#change(path, change)) };
  }

  async #undo(done: readonly Replaced[]): Promise<void> {
    for (const { path, before, after } of done) {
      await this.#tried(path, () =>
        this.#change(path, (text) => {
          if (text !== after) throw otherThanShown();
          return before;
        }),
      );
    }
  }

  /** Changes a text where it is: as typed in an open file, which is saved if it was; else on the disk. */
  async #change(path: string, change: (text: string) => string): Promise<Omit<Replaced, 'path' | 'count'>> {
    const open = this.#parts.store.getState().files.get(path);
    if (open === undefined) return { ...(await this.#changeOnDisk(path, change)), isSaved: true };
    if (open.kind !== 'text') throw notEditable();
    const [before, isSaved] = [open.text, !isDirty(open)];
    const after = change(before);
    this.#files.replaceText(path, after);
    if (isSaved) await this.#files.save(path);
    return { before, after, isSaved };
  }

  async #changeOnDisk(path: string, change: (text: string) => string): Promise<{ before: string; after: string }> {
    const { socket, project } = this.#parts;
    const file = { project_id: project.project_id, path };
    const { content: before, kind, version } = await socket.read('projects.read', file);
    if (kind !== 'text' || before === null) throw notEditable();
    const after = change(before);
    await socket.call('projects.write', { ...file, content: after, version });
    return { before, after };
  }
}

function otherThanShown(): HostError {
  return new HostError({
    code: 'FILE_CHANGED',
    message: 'The text has changed since the search',
    hint: 'Search again, then replace.',
    details: null,
    request_id: null,
  });
}

function notEditable(): HostError {
  return new HostError({
    code: 'TOO_LARGE',
    message: 'The editor shows it and cannot change it',
    hint: 'Change it with another program.',
    details: null,
    request_id: null,
  });
}
