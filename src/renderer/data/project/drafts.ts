/** A text that somebody typed and has not saved, and the version of the file that it began as. */
export interface Draft {
  readonly path: string;
  readonly text: string;
  /** null: there was no such file. */
  readonly version: string | null;
}

/** What was open in a project. */
export interface Layout {
  readonly tabs: readonly string[];
  readonly active: string | null;
}

/** Where unsaved texts of one user's project outlive a reload or a crash of the page. */
export interface Drafts {
  all(): Promise<Draft[]>;
  put(draft: Draft): Promise<void>;
  remove(path: string): Promise<void>;
  layout(): Promise<Layout | null>;
  putLayout(layout: Layout): Promise<void>;
}

const NAME = 'platform-editor';

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('the browser refused to store')));
  });
}

function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open(NAME, 1);
  request.addEventListener('upgradeneeded', () => {
    request.result.createObjectStore('drafts');
    request.result.createObjectStore('layouts');
  });
  return settled(request);
}

/** The drafts of a project in this browser; those of other users and projects are not seen. */
export function createDrafts(userId: string, projectId: string): Drafts {
  let opened: Promise<IDBDatabase> | null = null;
  const store = async (name: 'drafts' | 'layouts', mode: IDBTransactionMode): Promise<IDBObjectStore> => {
    opened ??= openDatabase();
    return (await opened).transaction(name, mode, { durability: 'strict' }).objectStore(name);
  };
  const key = (path: string): string[] => [userId, projectId, path];
  const range = IDBKeyRange.bound([userId, projectId], [userId, projectId, []]);
  return {
    all: async () => settled((await store('drafts', 'readonly')).getAll(range)),
    put: async (draft) => {
      await settled((await store('drafts', 'readwrite')).put(draft, key(draft.path)));
    },
    remove: async (path) => {
      await settled((await store('drafts', 'readwrite')).delete(key(path)));
    },
    layout: async () => (await settled((await store('layouts', 'readonly')).get([userId, projectId]))) ?? null,
    putLayout: async (layout) => {
      await settled((await store('layouts', 'readwrite')).put(layout, [userId, projectId]));
    },
  };
}
