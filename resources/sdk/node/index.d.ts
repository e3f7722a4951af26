/** A value that JSON can hold. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined };

/** The bot's id and configuration, by name and as a pair. */
export type Parsed<C> = [botId: string, config: C] & { readonly botId: string; readonly config: C };

/** Reads BOT_ID and BOT_CONFIG. */
export function parse<C = Record<string, unknown>>(): Parsed<C>;
/** Emits a metric: `data` is shown and charted under its type. */
export function metric(type: string, data?: Record<string, unknown>): void;
/** Writes a log line; without a level it is info. */
export function log(message: unknown, level?: 'debug' | 'info' | 'warn' | 'error'): void;
/** Reports that a scheduled run went well. */
export function success(message: unknown): void;
/** Reports a failure and ends the process with exit code 1. */
export function error(message: unknown): never;
/** Gives out a result of the bot's own. */
export function result(data: unknown): void;

/** JSON values that outlive runs, by key. */
export namespace state {
  /** The value under a key; `fallback` when there is none. */
  function get<T = unknown>(key: string): T | undefined;
  function get<T = unknown>(key: string, fallback: T): T;
  /** Stores a value. Not from a query handler. */
  function set(key: string, value: unknown): void;
  /** Removes a key; true when it was there. Not from a query handler. */
  function remove(key: string): boolean;
  /** All keys, sorted by their bytes in UTF-8. */
  function list(): string[];
}

/** Questions from outside. Handlers only read. */
export namespace query {
  interface Request {
    readonly path: string;
    readonly params: Record<string, string>;
    /** A parameter as text; `fallback` (null unless given) when it was not sent. */
    get(name: string): string | null;
    get(name: string, fallback: string): string;
  }
  /** Registers a function for a path such as `/status`. */
  function handler(path: string, handle: (request: Request) => unknown): void;
  /** Serves queries until SIGTERM, or answers the one query of a query run and ends the process. */
  function run(): Promise<void>;
  /** The bot's configuration. */
  function getConfig<C = Record<string, unknown>>(): C;
  /** The name of getConfig() that is the same in the SDKs of all languages. */
  function get_config<C = Record<string, unknown>>(): C;
}
