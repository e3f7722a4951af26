/** The view of a custom bot inside its package. */
export const VIEW_FILE = 'view/index.html';
/** The folder of a view, which holds nothing else. */
export const VIEW_FOLDER = 'view/';
/** Address of the cage: the document of a host in which the dashboard shows a view. */
export const VIEW_CAGE_PATH = '/view';

/**
 * Elements that a view may not have: pages inside a page, which would begin without the limits that are set to a view,
 * and links to other files, which a browser looks up by name before any policy says no.
 */
export const FORBIDDEN_ELEMENTS = [
  'iframe',
  'frame',
  'frameset',
  'object',
  'embed',
  'applet',
  'portal',
  'fencedframe',
  'link',
] as const;

/**
 * Matches the beginning of a forbidden element. A tag begins with its name letter by letter, so whatever a parser makes one
 * of these elements of matches here; a text in a script may match as well. The cage judges by it what a view writes later.
 */
export const FORBIDDEN_MARKUP = new RegExp(`<(?:[^\\s<>/:]*:)?(${FORBIDDEN_ELEMENTS.join('|')})(?=[\\s/>])`, 'i');

/** The first element of a document that a view may not have, with its offset; null for a document that has none. */
export function firstForbidden(html: string): { readonly element: string; readonly offset: number } | null {
  const found = FORBIDDEN_MARKUP.exec(html);
  return found === null ? null : { element: (found[1] ?? '').toLowerCase(), offset: found.index };
}
