/** Where a PEM block may begin, in lower case. */
export const PEM_KEYWORD = '-----begin ';
/** A block whose end does not come within this many lines is given up (performance.md section 3.1). */
export const PEM_LINES = 200;

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const END = /-----END [A-Z0-9 ]{0,60}-----/;
const BASE64_RUN = /^[A-Za-z0-9+/=]{16,}$/;

/** What of a line belongs to a private key block. `open`: the block goes on in the next line. */
export interface PemPart {
  readonly start: number;
  readonly end: number;
  readonly open: boolean;
}

/** End of the text that the block is in: an unescaped double quote, or the end of the line. */
function textEnd(line: string, from: number): number {
  for (let i = from; i < line.length; i++) {
    if (line[i] === '\\') i += 1;
    else if (line[i] === '"') return i;
  }
  return line.length;
}

/** What follows the first line of a real block: nothing, or its content, with line ends as escapes. */
function isContent(text: string): boolean {
  return text.split(/\s|\\[nr]/).every((part) => part === '' || BASE64_RUN.test(part));
}

/** The block that begins at this position, or null when none does. */
export function pemAt(line: string, position: number): PemPart | null {
  BEGIN.lastIndex = position;
  if (!BEGIN.test(line)) return null;
  const content = BEGIN.lastIndex;
  const limit = textEnd(line, content);
  const end = END.exec(line.slice(content, limit));
  if (end !== null) return { start: position, end: content + end.index + end[0].length, open: false };
  return { start: position, end: limit, open: limit === line.length && isContent(line.slice(content)) };
}

/** Where an open block ends in one of its later lines, or -1. */
export function pemEnd(line: string): number {
  const end = END.exec(line);
  return end === null ? -1 : end.index + end[0].length;
}
