/** An unsaved text, and the version of the file that it began with. */
export interface Draft {
  readonly path: string;
  readonly text: string;
  /** null: there was no such file. */
  readonly version: string | null;
}

/** The open files of a project. */
export interface Layout {
  readonly tabs: readonly string[];
  readonly active: string | null;
}

/** Store of unsaved texts of one user's project, which outlive a reload or a crash of the page. */
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

/** Waits until a store's requests are on the disk. */
function committed({ transaction }: IDBObjectStore): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(transaction.error ?? new Error('the browser refused to store'));
    transaction.addEventListener('complete', () => resolve());
    transaction.addEventListener('error', fail);
    transaction.addEventListener('abort', fail);
  });
}

/** `onGone`: the browser has closed it by itself, for example because its data were cleared. */
async function openDatabase(onGone: () => void): Promise<IDBDatabase> {
  const request = indexedDB.open(NAME, 1);
  request.addEventListener('upgradeneeded', () => {
    request.result.createObjectStore('drafts');
    request.result.createObjectStore('layouts');
  });
  const database = await settled(request);
  database.addEventListener('close', onGone);
  return database;
}

/**
 * The drafts of a folder in this browser; those of other users and folders are not seen. By the folder and not by the
 * project: one that was taken off the list and is opened again gets another id, and has its drafts all the same.
 */
export function createDrafts(userId: string, dir: string): Drafts {
  let opened: Promise<IDBDatabase> | null = null;
  const forget = (): void => {
    opened = null;
  };
  const database = (): Promise<IDBDatabase> => {
    opened ??= openDatabase(forget).catch((thrown: unknown) => {
      forget();
      throw thrown;
    });
    return opened;
  };
  const store = async (name: 'drafts' | 'layouts', mode: IDBTransactionMode): Promise<IDBObjectStore> => {
    return (await database()).transaction(name, mode, { durability: 'strict' }).objectStore(name);
  };
  const change = async (name: 'drafts' | 'layouts', work: (to: IDBObjectStore) => void): Promise<void> => {
    const to = await store(name, 'readwrite');
    const done = committed(to);
    work(to);
    // A closing page still sends its requests, but does not live to commit them.
    to.transaction.commit();
    await done;
  };
  const key = (path: string): string[] => [userId, dir, path];
  const range = IDBKeyRange.bound([userId, dir], [userId, dir, []]);
  return {
    all: async () => settled((await store('drafts', 'readonly')).getAll(range)),
    put: (draft) => change('drafts', (to) => to.put(draft, key(draft.path))),
    remove: (path) => change('drafts', (to) => to.delete(key(path))),
    layout: async () => (await settled((await store('layouts', 'readonly')).get([userId, dir]))) ?? null,
    putLayout: (layout) => change('layouts', (to) => to.put(layout, [userId, dir])),
  };
}
