/** Count of single-character edits (swapped neighbours count once) between two short words; `limit` cuts the search. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let older: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (older[j - 2] ?? 0) + 1);
      row.push(best);
    }
    older = previous;
    previous = row;
  }
  return previous[b.length] ?? limit + 1;
}

const plain = (word: string) => word.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** The candidate that a person most likely meant by `word`, or null when none is close. */
export function didYouMean(word: string, candidates: readonly string[]): string | null {
  if (word.length > 100) return null;
  const wanted = plain(word);
  let best: string | null = null;
  let distance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates.slice(0, 500)) {
    if (candidate === word) continue;
    const found = editDistance(wanted, plain(candidate), distance);
    if (found < distance) {
      best = candidate;
      distance = found;
    }
  }
  return best;
}
