import type { StoreApi } from 'zustand/vanilla';
import type { FileProblem } from '../../../contract/custom-bot.ts';
import type { Project, ProjectEntry, ProjectRun, PublishStep, RunLine } from '../../../contract/project.ts';
import type { HostError } from '../host-error.ts';
import type { HostSocket } from '../socket.ts';
import type { Debounce } from './debounce.ts';
import type { Drafts } from './drafts.ts';
import type { OpenFile } from './open-file.ts';

/** What the editor shows of a project. */
export interface SessionState {
  /** null until the first answer. */
  readonly entries: readonly ProjectEntry[] | null;
  readonly truncated: boolean;
  /** False: changes by other programs may go unseen until they are looked for. */
  readonly watching: boolean;
  readonly files: ReadonlyMap<string, OpenFile>;
  readonly tabs: readonly string[];
  readonly active: string | null;
  /** The host has looked for problems at least once. */
  readonly isChecked: boolean;
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly FileProblem[];
  /** What the browser itself finds wrong in the texts that are open. */
  readonly marks: readonly FileProblem[];
  readonly run: ProjectRun | null;
  readonly lines: readonly RunLine[];
  readonly publish: PublishStep | null;
  /** False: this browser does not store drafts. */
  readonly isKept: boolean;
  /** What keeps the project from being shown at all. */
  readonly error: HostError | null;
  /** Where the text is to be shown next: set by a search, a problem or the tree. */
  readonly reveal: Place | null;
}

export const EMPTY: SessionState = {
  entries: null,
  truncated: false,
  watching: true,
  files: new Map(),
  tabs: [],
  active: null,
  isChecked: false,
  problems: [],
  warnings: [],
  marks: [],
  run: null,
  lines: [],
  publish: null,
  isKept: true,
  error: null,
  reveal: null,
};

/** A place in a file; line and column count from 1. */
export interface Place {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

/** Messages of a session to its user. */
export interface Voice {
  readonly done: (text: string, undo?: () => void) => void;
  readonly failed: (text: string, thrown: unknown) => void;
}

/** What the parts of a session work with. */
export interface SessionParts {
  readonly project: Project;
  readonly store: StoreApi<SessionState>;
  readonly socket: Pick<HostSocket, 'call' | 'read' | 'stream'>;
  readonly drafts: Drafts;
  readonly voice: Voice;
  readonly later: Debounce;
}
