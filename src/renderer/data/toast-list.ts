/** A short message at the edge of the page: a completed action, with undo if possible, or a failure. */
export interface Toast {
  readonly id: number;
  readonly kind: 'done' | 'failed';
  readonly text: string;
  readonly hint: string | null;
  readonly undo: (() => void) | null;
}

const MOST = 4;
const DONE_MS = 5000;
/** Time to read, understand and reach for the button. */
const UNDO_MS = 10_000;

/** Lifetime of a toast; null until it is dismissed, so that no failure is missed. */
export function lifetimeOf({ kind, undo }: Pick<Toast, 'kind' | 'undo'>): number | null {
  if (kind === 'failed') return null;
  return undo === null ? DONE_MS : UNDO_MS;
}

/** The list with one more. The same words again replace those before; of too many the oldest go, failures last. */
export function withToast(list: readonly Toast[], toast: Toast): readonly Toast[] {
  const next = [...list.filter(({ kind, text }) => kind !== toast.kind || text !== toast.text), toast];
  while (next.length > MOST) {
    const oldest = next.findIndex(({ kind }) => kind === 'done');
    next.splice(oldest === -1 || oldest === next.length - 1 ? 0 : oldest, 1);
  }
  return next;
}
