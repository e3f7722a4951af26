let serving = false;

/** From now on this process answers queries. */
export function startServing() {
  serving = true;
}

/** Queries only read: in a query run, and in a process that serves queries, state cannot be written. */
export function isReadOnly() {
  return serving || Boolean(process.env.QUERY_PATH);
}
