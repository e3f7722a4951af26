const KEY = 'platform.ended';

/** Tells the next loaded page that the session ended by itself. */
export function tellEnded(): void {
  try {
    sessionStorage.setItem(KEY, 'yes');
  } catch {
    // A browser that keeps nothing shows the log-in without a word.
  }
}

/** True if the page before this one was closed because the session ended; only the first call tells. */
export function takeEnded(): boolean {
  try {
    const told = sessionStorage.getItem(KEY) !== null;
    sessionStorage.removeItem(KEY);
    return told;
  } catch {
    return false;
  }
}
