import { AsyncLocalStorage } from 'node:async_hooks';

const handling = new AsyncLocalStorage();

/** Runs a query handler; what it does, also later, may not write state. */
export function runHandler(handle, request) {
  return handling.run(request, () => handle(request));
}

/** The request of the handler that runs now; undefined outside of handlers. */
export function currentRequest() {
  return handling.getStore();
}

/** Whether this program was started to answer one query. */
export function isQueryRun() {
  const { QUERY_PATH, QUERY_RESULT_FILE } = process.env;
  // One that waits for its question has no QUERY_PATH yet.
  return Boolean(QUERY_PATH || QUERY_RESULT_FILE);
}

/** Queries only read: in a query run, and inside a handler, state cannot be written. */
export function isReadOnly() {
  return currentRequest() !== undefined || isQueryRun();
}
