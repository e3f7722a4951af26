/** Longest path inside a package in bytes of UTF-8, and its greatest depth: room for a Windows data folder in front. */
export const MAX_PATH_BYTES = 240;
export const MAX_PATH_DEPTH = 40;

/** Fault of a path, and its fix. */
export interface PathFault {
  readonly message: string;
  readonly hint: string;
}

const RESERVED = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)/i;
const UNPRINTABLE = /[\p{Cc}\p{Cs}\uFFFD\u202A-\u202E\u2066-\u2069]/u;

/** Zero-width characters and marks that change the direction of text: two files could look alike. */
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

const fault = (message: string, hint: string): PathFault => ({ message, hint });

function segmentFault(segment: string): PathFault | null {
  if (segment === '') return fault('has an empty part ("//" or a "/" at its end)', 'Write it with single slashes.');
  if (segment === '.' || segment === '..')
    return fault(`contains "${segment}"`, 'Name files relative to the folder of bot-config.yaml, inside that folder.');
  if (/[<>:"|?*]/.test(segment))
    return fault('contains one of < > : " | ? *, which Windows cannot store', 'Rename the file.');
  if (/[. ]$/.test(segment)) return fault('has a part that ends with a dot or a space', 'Rename the file.');
  if (RESERVED.test(segment)) return fault(`uses "${segment}", a name that Windows reserves`, 'Rename the file.');
  return null;
}

/**
 * The fault of a file's path in a package, or null. Paths must be relative, use `/`, and name the same file on Linux,
 * macOS and Windows.
 */
export function pathFault(path: string): PathFault | null {
  if (path === '') return fault('is empty', 'Give the path of a file.');
  if (UNPRINTABLE.test(path))
    return fault('contains a control character or bytes that are not UTF-8', 'Rename the file.');
  if (UNSEEN.test(path))
    return fault(
      'contains a character that is not seen (one without width, say)',
      'Rename the file; type its whole name again.',
    );
  if (path.includes('\\')) return fault('contains a backslash', 'Write paths with "/", also on Windows.');
  if (/^[a-z]:/i.test(path) || path.startsWith('/'))
    return fault('is an absolute path', 'Name files relative to the folder of bot-config.yaml.');
  if (Buffer.byteLength(path) > MAX_PATH_BYTES)
    return fault(`is longer than ${MAX_PATH_BYTES} bytes`, 'Shorten the names of its folders.');
  const segments = path.split('/');
  if (segments.length > MAX_PATH_DEPTH)
    return fault(`is nested deeper than ${MAX_PATH_DEPTH} folders`, 'Flatten the folders.');
  for (const segment of segments) {
    const found = segmentFault(segment);
    if (found !== null) return found;
  }
  return null;
}

/** Two paths with the same key are one file on a file system that ignores case or Unicode normalisation. */
function collisionKey(path: string): string {
  return path.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
}

/**
 * Collects the paths of one package and finds collisions: the same path twice, paths that differ only in case or
 * normalisation (also of folders), and a file where another path needs a folder.
 */
export class PathSet {
  readonly #known = new Map<string, { path: string; kind: 'file' | 'directory'; listed: boolean }>();

  /** Adds a path that passed pathFault; returns what it collides with, or null. */
  add(path: string, kind: 'file' | 'directory'): PathFault | null {
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
      const found = this.#enter(path.slice(0, slash), 'directory', false);
      if (found !== null) return found;
    }
    return this.#enter(path, kind, true);
  }

  #enter(path: string, kind: 'file' | 'directory', listed: boolean): PathFault | null {
    const key = collisionKey(path);
    const other = this.#known.get(key);
    if (other === undefined) {
      this.#known.set(key, { path, kind, listed });
      return null;
    }
    if (other.path !== path)
      return fault(
        `and ${JSON.stringify(other.path)} are one name on file systems that ignore case or Unicode form`,
        'Rename one of them.',
      );
    if (other.kind !== kind) return fault('is used both as a file and as a folder', 'Remove one of the two.');
    if (listed && other.listed) return fault('is in the package twice', 'Pack each file once.');
    other.listed ||= listed;
    return null;
  }
}
