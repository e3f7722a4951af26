import { PAGES } from '../navigation-pages.ts';

/** A key that went down, with the facts that decide whether it is meant as a shortcut. */
export interface Press {
  readonly key: string;
  readonly ctrl: boolean;
  readonly meta: boolean;
  readonly alt: boolean;
  /** True if the key goes to a field to type into. */
  readonly inField: boolean;
  /** True while a window is open over the page. */
  readonly inDialog: boolean;
  /** Milliseconds of any clock. */
  readonly at: number;
}

/** The action of a shortcut. */
export type Asked =
  | { readonly kind: 'palette' }
  | { readonly kind: 'sheet' }
  | { readonly kind: 'search' }
  | { readonly kind: 'go'; readonly path: string };

/** The outcome of a key: the action, and the time since which a `g` waits for its second key. */
export interface Heard {
  readonly asked: Asked | null;
  readonly since: number | null;
}

const WAIT_MS = 1200;
const nothing: Heard = { asked: null, since: null };

/** Recognises shortcuts. Single keys count only outside of text fields. */
export function recogniseShortcut(press: Press, since: number | null): Heard {
  const { key, ctrl, meta, alt, inField, inDialog, at } = press;
  if ((ctrl || meta) && !alt && key.toLowerCase() === 'k') return { asked: { kind: 'palette' }, since: null };
  if (ctrl || meta || alt || inField || inDialog) return nothing;
  // Shift goes down before its letter.
  if (key === 'Shift') return { asked: null, since };
  if (since !== null && at - since < WAIT_MS) {
    const page = PAGES.find((one) => one.key === key);
    return page === undefined ? nothing : { asked: { kind: 'go', path: page.path }, since: null };
  }
  if (key === 'g') return { asked: null, since: at };
  if (key === '?') return { asked: { kind: 'sheet' }, since: null };
  if (key === '/') return { asked: { kind: 'search' }, since: null };
  return nothing;
}
