/** A state of a bot or of a run as people are told it, everywhere the same. */
export function statusWords(status: string): string {
  return status === 'backing_off' ? 'waiting to restart' : status.replaceAll('_', ' ');
}
