/** Word that begins a PEM block, in lower case. */
export const PEM_KEYWORD = '-----begin ';
/** Number of lines after which a block without an end is given up. */
export const PEM_LINES = 200;

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const END = /-----END [A-Z0-9 ]{0,60}-----/y;
const LATER_END = new RegExp(END.source);
const BASE64_RUN = /^[A-Za-z0-9+/=]{16,}$/;

/** The part of a line in a private key block. `open`: the block continues in the next line. */
export interface PemPart {
  readonly start: number;
  readonly end: number;
  readonly open: boolean;
}

/**
 * Returns the end of a block that begins before `from`: after its END, or before an unescaped double quote, which ends
 * the surrounding text. Searches no further, because a line with a thousand blocks would otherwise be read for each.
 */
function blockEnd(line: string, from: number): { readonly end: number; readonly closed: boolean } {
  for (let i = from; i < line.length; i++) {
    const code = line.charCodeAt(i);
    if (code === 34) return { end: i, closed: true };
    if (code === 92 && /["\\]/.test(line[i + 1] ?? '')) i += 1;
    if (code !== 45) continue;
    END.lastIndex = i;
    if (END.test(line)) return { end: END.lastIndex, closed: true };
  }
  return { end: line.length, closed: false };
}

/** True for the rest of the first line of a real block: nothing, or its content, with line ends as escapes. */
function isContent(text: string): boolean {
  return text.split(/\s|\\[nr]/).every((part) => part === '' || BASE64_RUN.test(part));
}

/** Returns the block that begins at this position, or null. */
export function pemAt(line: string, position: number): PemPart | null {
  BEGIN.lastIndex = position;
  if (!BEGIN.test(line)) return null;
  const content = BEGIN.lastIndex;
  const { end, closed } = blockEnd(line, content);
  return { start: position, end, open: !closed && isContent(line.slice(content)) };
}

/** Returns the end of an open block in one of its later lines, or -1. */
export function pemEnd(line: string): number {
  const end = LATER_END.exec(line);
  return end === null ? -1 : end.index + end[0].length;
}
