import { create } from 'zustand';
import { toHostError } from './host-error.ts';
import { type Toast, withToast } from './toast-list.ts';

/** The messages that are shown now. */
export const useToasts = create<{ readonly list: readonly Toast[] }>(() => ({ list: [] }));

let lastId = 0;

function show(toast: Omit<Toast, 'id'>): void {
  lastId += 1;
  const id = lastId;
  useToasts.setState(({ list }) => ({ list: withToast(list, { ...toast, id }) }));
}

/** Says that something was done; `undo` takes it back. */
export function toastDone(text: string, undo: (() => void) | null = null): void {
  show({ kind: 'done', text, hint: null, undo });
}

/** Says that something failed, where no place on the page can. */
export function toastFailed(text: string, thrown: unknown): void {
  const { message, hint } = toHostError(thrown);
  show({ kind: 'failed', text: `${text}: ${message}`, hint, undo: null });
}

export function dismissToast(id: number): void {
  useToasts.setState(({ list }) => ({ list: list.filter((one) => one.id !== id) }));
}
