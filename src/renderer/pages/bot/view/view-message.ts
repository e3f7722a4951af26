/** A message of JSON-RPC from a view, as MCP Apps has them. A notification has no id, and gets no answer. */
export interface ViewMessage {
  readonly id: string | number | null;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Most of a message, all names and texts together, in UTF-16 units. */
const MOST_TEXT = 64 * 1024;
const MOST_VALUES = 5000;
const DEEPEST = 32;

class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/** Counts what a message holds. Nothing is enumerated for longer than a message may be. */
class Measure {
  #text = MOST_TEXT;
  #values = MOST_VALUES;

  /** False for a value that JSON cannot have. Throws TooLarge. */
  isJson(value: unknown, depth = 0): boolean {
    this.#values -= 1;
    if (this.#values < 0 || depth > DEEPEST) throw new TooLarge();
    if (typeof value === 'string') return this.#takeText(value);
    // What is left undefined is not there once it is JSON.
    if (value === null || ['number', 'boolean', 'undefined'].includes(typeof value)) return true;
    if (Array.isArray(value)) return this.#areJson(value, depth);
    if (typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return false;
    for (const name in value) {
      this.#takeText(name);
      if (!this.isJson(Object.getOwnPropertyDescriptor(value, name)?.value, depth + 1)) return false;
    }
    return true;
  }

  #areJson(items: readonly unknown[], depth: number): boolean {
    if (items.length > MOST_VALUES) throw new TooLarge();
    return items.every((item) => this.isJson(item, depth + 1));
  }

  #takeText(text: string): true {
    this.#text -= text.length;
    if (this.#text < 0) throw new TooLarge();
    return true;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a view sent that cannot be answered; `id` is that of its request, if it has one. */
export interface UnfitMessage {
  readonly id: ViewMessage['id'];
  readonly unfit: 'too large' | 'no message';
}

const idOf = (data: unknown): ViewMessage['id'] => {
  const id = isObject(data) ? data.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
};

/** Reads what a view has sent. It is a copy that the browser has made, so reading it runs no code of the view. */
export function readMessage(data: unknown): ViewMessage | UnfitMessage {
  const id = idOf(data);
  try {
    if (!isObject(data) || !new Measure().isJson(data)) return { id, unfit: 'no message' };
  } catch (error) {
    if (error instanceof TooLarge) return { id: null, unfit: 'too large' };
    throw error;
  }
  const { jsonrpc, method, params = {} } = data;
  if (jsonrpc !== '2.0' || typeof method !== 'string' || !isObject(params)) return { id, unfit: 'no message' };
  return { id, method, params };
}
