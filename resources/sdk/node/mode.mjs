import { AsyncLocalStorage } from 'node:async_hooks';

const handling = new AsyncLocalStorage();

/** Runs a query handler; what it does, also later, may not write state. */
export function runHandler(handle, request) {
  return handling.run(true, () => handle(request));
}

/** Queries only read: in a query run, and inside a handler, state cannot be written. */
export function isReadOnly() {
  const { QUERY_PATH, QUERY_RESULT_FILE } = process.env;
  // One that waits for its question has no QUERY_PATH yet.
  return handling.getStore() === true || Boolean(QUERY_PATH || QUERY_RESULT_FILE);
}
