/** The range with room above and below the lines; a constant line gets some as well. */
export function padded(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1];
  if (low === high) {
    const some = low === 0 ? 1 : Math.abs(low) * 0.01;
    return [low - some, high + some];
  }
  const room = (high - low) * 0.12;
  // A series that is never negative is not given a scale that is.
  return [low >= 0 && low - room < 0 ? 0 : low - room, high + room];
}
