/** A state of a bot or of a run as people read it, the same everywhere. */
export function statusWords(status: string): string {
  return status === 'backing_off' ? 'waiting to restart' : status.replaceAll('_', ' ');
}
