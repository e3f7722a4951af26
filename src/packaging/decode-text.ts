import type { FileProblem } from '../contract/custom-bot.ts';
import { fileProblem, positionAt } from './file-problem.ts';

/** Decodes a UTF-8 file; the problem names the first line that is not UTF-8. A byte order mark is dropped. */
export function decodeText(bytes: Uint8Array, file: string): { text: string } | { problem: FileProblem } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    const lossy = new TextDecoder('utf-8').decode(bytes);
    const at = positionAt(lossy, lossy.indexOf('\uFFFD'));
    return { problem: fileProblem(file, at, `${file} is not UTF-8 text`, 'Save the file with the encoding UTF-8.') };
  }
}
