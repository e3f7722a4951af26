/** Score of a text against the typed one, and the positions of the characters that match. */
export interface Match {
  readonly score: number;
  readonly marks: readonly number[];
}

const START = 8;
const NEXT = 5;
const WHOLE = 20;
const GAP = 0.3;

const isStart = (text: string, index: number): boolean => index === 0 || /[^\p{L}\p{N}]/u.test(text[index - 1] ?? '');

function run(text: string, term: string, from: number): Match {
  const marks = Array.from(term, (_, index) => from + index);
  const score = WHOLE + term.length * NEXT + (isStart(text, from) ? START * 2 : 0) - from * 0.05;
  return { score, marks };
}

/** Finds a term in one piece, at the start of a word if anywhere; null where the text lacks it. */
function piece(text: string, term: string): Match | null {
  let best: Match | null = null;
  for (let at = text.indexOf(term); at !== -1; at = text.indexOf(term, at + 1)) {
    const match = run(text, term, at);
    if (best === null || match.score > best.score) best = match;
  }
  return best;
}

/** Finds the letters of a term in their order, each at the start of a word where that leads on. */
function scattered(text: string, term: string): Match | null {
  const marks: number[] = [];
  let score = 0;
  for (const letter of term) {
    const last = marks.at(-1) ?? -1;
    let at = text.indexOf(letter, last + 1);
    if (at === -1) return null;
    if (at !== last + 1) {
      for (let next = at; next !== -1; next = text.indexOf(letter, next + 1)) {
        if (isStart(text, next)) {
          at = next;
          break;
        }
      }
    }
    score += (isStart(text, at) ? START : 0) + (at === last + 1 ? NEXT : 0) - (at - last - 1) * GAP;
    marks.push(at);
  }
  return { score, marks };
}

/** Penalty of a match in hidden words. */
const UNSEEN = 15;

/**
 * Matches a text with the typed words; each must occur in the text, or as one piece in the hidden words. Null without a
 * match. Case does not matter; `marks` are positions in the text.
 */
export function fuzzy(typed: string, text: string, also = ''): Match | null {
  const [lower, unseen] = [text.toLowerCase(), also.toLowerCase()];
  let score = 0;
  const marks = new Set<number>();
  for (const term of typed.toLowerCase().split(/\s+/).filter(Boolean)) {
    const seen = piece(lower, term);
    const hidden = seen === null ? piece(unseen, term) : null;
    const found = seen ?? (hidden === null && term.length > 1 ? scattered(lower, term) : null);
    // Letters strewn over a long text mean nothing.
    if (hidden === null && (found === null || found.score < 0)) return null;
    score += found?.score ?? (hidden?.score ?? 0) - UNSEEN;
    for (const mark of found?.marks ?? []) marks.add(mark);
  }
  return { score: score - text.length * 0.02, marks: [...marks].sort((a, b) => a - b) };
}
