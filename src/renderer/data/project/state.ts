import type { StoreApi } from 'zustand/vanilla';
import type { FileProblem } from '../../../contract/custom-bot.ts';
import type { Project, ProjectEntry, ProjectRun, PublishStep, RunLine } from '../../../contract/project.ts';
import type { HostError } from '../host-error.ts';
import type { HostSocket } from '../socket.ts';
import type { Debounce } from './debounce.ts';
import type { Drafts } from './drafts.ts';
import type { OpenFile } from './open-file-state.ts';

/** State of a project in the editor. */
export interface SessionState {
  /** null until the first answer. */
  readonly entries: readonly ProjectEntry[] | null;
  readonly truncated: boolean;
  /** False: changes by other programs may go unseen until the next reading. */
  readonly watching: boolean;
  readonly files: ReadonlyMap<string, OpenFile>;
  readonly tabs: readonly string[];
  readonly active: string | null;
  /** True once the host has checked for problems. */
  readonly isChecked: boolean;
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly FileProblem[];
  /** Problems that the browser itself finds in the open texts. */
  readonly marks: readonly FileProblem[];
  readonly run: ProjectRun | null;
  readonly lines: readonly RunLine[];
  readonly publish: PublishStep | null;
  /** False: this browser does not store drafts. */
  readonly isKept: boolean;
  /** Error that keeps the editor from showing the project at all. */
  readonly error: HostError | null;
  /** Place in a text to show next: set by a search, a problem or the tree. */
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

/** Services that the parts of a session share. */
export interface SessionParts {
  readonly project: Project;
  readonly store: StoreApi<SessionState>;
  readonly socket: Pick<HostSocket, 'call' | 'read' | 'stream'>;
  readonly drafts: Drafts;
  readonly voice: Voice;
  readonly later: Debounce;
}
