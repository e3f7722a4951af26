/** One line of a difference. Numbers count from 1; null on the side that does not have the line. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
}

/** Neighbouring changed lines, with some unchanged lines around them. */
export interface Hunk {
  readonly lines: readonly DiffLine[];
}

/** Beyond this many differences the rest counts as replaced as a whole: finer detail would not help a reader. */
const MOST_EDITS = 1500;

/** The lines of a text. A line end at its end begins no further line. */
export function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

type Kind = DiffLine['kind'];

/** Steps of the shortest way from `a` to `b` (Myers, "An O(ND) difference algorithm"), or null when it is too long. */
function shortest(a: readonly string[], b: readonly string[]): Kind[] | null {
  const most = Math.min(a.length + b.length, MOST_EDITS);
  const furthest = new Int32Array(2 * most + 3);
  const middle = most + 1;
  const trail: Int32Array[] = [];
  const at = (from: Int32Array, index: number): number => from[index] ?? 0;
  for (let edits = 0; edits <= most; edits++) {
    trail.push(furthest.slice(middle - edits - 1, middle + edits + 2));
    for (let k = -edits; k <= edits; k += 2) {
      const down = k === -edits || (k !== edits && at(furthest, middle + k - 1) < at(furthest, middle + k + 1));
      let x = down ? at(furthest, middle + k + 1) : at(furthest, middle + k - 1) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      furthest[middle + k] = x;
      if (x >= a.length && x - k >= b.length) return wayBack(trail, a.length, b.length);
    }
  }
  return null;
}

function wayBack(trail: readonly Int32Array[], endX: number, endY: number): Kind[] {
  const steps: Kind[] = [];
  let x = endX;
  let y = endY;
  for (let edits = trail.length - 1; edits > 0; edits--) {
    const known = trail[edits];
    const reached = (k: number): number => known?.[k + edits + 1] ?? 0;
    const k = x - y;
    const down = k === -edits || (k !== edits && reached(k - 1) < reached(k + 1));
    const from = down ? reached(k + 1) : reached(k - 1);
    const fromY = from - (down ? k + 1 : k - 1);
    while (x > from && y > fromY) {
      steps.push('same');
      x--;
      y--;
    }
    steps.push(down ? 'added' : 'removed');
    x = from;
    y = fromY;
  }
  for (; x > 0; x--) steps.push('same');
  return steps.reverse();
}

function steps(a: readonly string[], b: readonly string[]): Kind[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const left = a.slice(start, a.length - end);
  const right = b.slice(start, b.length - end);
  const between = left.length === 0 || right.length === 0 ? null : shortest(left, right);
  return [
    ...Array<Kind>(start).fill('same'),
    ...(between ?? [...left.map((): Kind => 'removed'), ...right.map((): Kind => 'added')]),
    ...Array<Kind>(end).fill('same'),
  ];
}

/** All lines of two texts, in the order in which a reader of both would meet them. */
export function diffLines(before: string, after: string): DiffLine[] {
  const a = linesOf(before);
  const b = linesOf(after);
  let x = 0;
  let y = 0;
  return steps(a, b).map((kind): DiffLine => {
    if (kind === 'removed') return { kind, before: ++x, after: null, text: a[x - 1] ?? '' };
    if (kind === 'added') return { kind, before: null, after: ++y, text: b[y - 1] ?? '' };
    y++;
    return { kind, before: ++x, after: y, text: a[x - 1] ?? '' };
  });
}

/** The differences alone, each with `around` lines that are the same before and after it. */
export function hunks(lines: readonly DiffLine[], around = 3): Hunk[] {
  const found: { from: number; to: number }[] = [];
  for (const [index, { kind }] of lines.entries()) {
    if (kind === 'same') continue;
    const last = found.at(-1);
    const from = Math.max(0, index - around);
    const to = Math.min(lines.length, index + around + 1);
    if (last !== undefined && from <= last.to) last.to = to;
    else found.push({ from, to });
  }
  return found.map(({ from, to }) => ({ lines: lines.slice(from, to) }));
}

const part = (numbers: readonly number[]): string => `${numbers[0] ?? 0},${numbers.length}`;

/** `@@ -1,7 +1,6 @@`: where a hunk stands in both texts. */
export function hunkHead({ lines }: Hunk): string {
  const numbers = (side: 'before' | 'after'): number[] => lines.flatMap((line) => line[side] ?? []);
  return `@@ -${part(numbers('before'))} +${part(numbers('after'))} @@`;
}
