import { create } from 'zustand';

/** Returns true if changes survive a change of address within their page. */
export type Keeps = (from: URL, to: URL) => boolean;

interface Unsaved {
  /** One for each page with unsaved changes. */
  readonly marks: ReadonlyMap<object, Keeps>;
  /** Step that waits for a yes; null: nothing waits. */
  readonly leaving: (() => void) | null;
}

export const useUnsavedMarks = create<Unsaved>(() => ({ marks: new Map(), leaving: null }));

function mark(token: object, keeps: Keeps | null): void {
  const { marks } = useUnsavedMarks.getState();
  if (keeps === null && !marks.has(token)) return;
  const next = new Map(marks);
  if (keeps === null) next.delete(token);
  else next.set(token, keeps);
  useUnsavedMarks.setState({ marks: next });
}

/** Marks unsaved changes; the returned function removes the mark. */
export function markUnsaved(keeps: Keeps): () => void {
  const token = {};
  mark(token, keeps);
  return () => mark(token, null);
}

/** True if changes are lost on the way from one address to another. */
export function isLost(from: URL, to: URL): boolean {
  const { marks } = useUnsavedMarks.getState();
  return [...marks.values()].some((keeps) => from.pathname !== to.pathname || !keeps(from, to));
}

/** Takes a step that gives up unsaved changes; where there are any, only after a yes. */
export function leaveThen(go: () => void): void {
  if (useUnsavedMarks.getState().marks.size === 0) go();
  else useUnsavedMarks.setState({ leaving: go });
}

/** As leaveThen, for a step to another address. */
export function leaveFor(from: URL, to: URL, go: () => void): void {
  if (isLost(from, to)) leaveThen(go);
  else go();
}

/** Takes the person's answer: gives up the changes, or leaves all as it is. */
export function answerLeaving(yes: boolean): void {
  const { leaving } = useUnsavedMarks.getState();
  useUnsavedMarks.setState(yes ? { marks: new Map(), leaving: null } : { leaving: null });
  if (yes) leaving?.();
}
