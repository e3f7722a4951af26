import type { FileProblem } from '../contract/custom-bot.ts';
import type { Problem } from '../contract/errors.ts';

/** A place in a file, both counted from 1; columns in UTF-16 units as editors count them. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Line and column of an offset in a text. */
export function positionAt(text: string, offset: number): Position {
  const end = Math.max(0, Math.min(offset, text.length));
  let line = 1;
  let start = 0;
  for (let i = text.indexOf('\n'); i !== -1 && i < end; i = text.indexOf('\n', i + 1)) {
    line++;
    start = i + 1;
  }
  return { line, column: end - start + 1 };
}

/** A problem at a place of a file. */
export function fileProblem(file: string, at: Position, message: string, hint: string): FileProblem {
  return { file, line: at.line, column: at.column, message, hint };
}

/** The form of a file's problem in an error's details: `path` is `file:line:column`. */
export function toProblem(problem: FileProblem): Problem {
  return {
    path: `${problem.file}:${problem.line}:${problem.column}`,
    message: problem.message,
    hint: problem.hint,
  };
}

const kib = (bytes: number) => `${Math.ceil(bytes / 1024)} KiB`;

/** The problem of a text that is larger than `maxBytes` of UTF-8, or null. */
export function sizeProblem(text: string, file: string, maxBytes: number): FileProblem | null {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return null;
  return fileProblem(
    file,
    { line: 1, column: 1 },
    `${file} has ${kib(bytes)}; at most ${kib(maxBytes)} are read`,
    'Move long texts into the readme and keep this file to the settings it is for.',
  );
}
