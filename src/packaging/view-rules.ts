import type { FileProblem } from '../contract/custom-bot.ts';
import { LIMITS } from '../contract/limits.ts';
import { firstForbidden, VIEW_FILE, VIEW_FOLDER } from '../shared/view-markup.ts';
import { decodeText } from './decode-text.ts';
import { fileProblem, positionAt } from './file-problem.ts';
import type { PackageSource } from './package-source.ts';

const START = { line: 1, column: 1 } as const;
/** Most other files of the folder that are named. */
const MOST_NAMED = 5;

/** A page beside the place where the view is looked for, such as `view/Index.html`: its author meant one. */
function misnamed(paths: readonly string[]): FileProblem[] {
  const page = paths.find((path) => /^view\/index\.html?$/i.test(path));
  if (page === undefined) return [];
  const message = 'a view is called index.html, in small letters';
  return [fileProblem(page, START, message, `Rename ${page} to ${VIEW_FILE}.`)];
}

function others(paths: readonly string[]): FileProblem[] {
  const beside = paths.filter((path) => path.startsWith(VIEW_FOLDER) && path !== VIEW_FILE);
  const hint = 'A view is one document: put scripts, styles and images (as data: addresses) into index.html.';
  return beside
    .slice(0, MOST_NAMED)
    .map((path) => fileProblem(path, START, 'a view loads no other file, and its folder holds none', hint));
}

/**
 * Checks the view of a package: one self-contained document that is UTF-8, not too large, and without elements that a view
 * may not have. A folder `view` without such a document is none of ours: it may be a module of the bot.
 */
export async function checkView({ paths, read }: PackageSource): Promise<FileProblem[]> {
  if (!paths.includes(VIEW_FILE)) return misnamed(paths);
  const bytes = await read(VIEW_FILE, LIMITS.viewBytes + 1);
  if (bytes.length > LIMITS.viewBytes) {
    const most = `${LIMITS.viewBytes / 2 ** 20} MiB`;
    const hint = 'Leave out what it does not need: minify scripts, draw with SVG instead of images.';
    return [...others(paths), fileProblem(VIEW_FILE, START, `the view is larger than ${most}`, hint)];
  }
  const decoded = decodeText(bytes, VIEW_FILE);
  if ('problem' in decoded) return [...others(paths), decoded.problem];
  const forbidden = firstForbidden(decoded.text);
  if (forbidden === null) return others(paths);
  const at = positionAt(decoded.text, forbidden.offset);
  const message = `a view may not have the element <${forbidden.element}>`;
  const hint =
    forbidden.element === 'link'
      ? 'A view loads nothing: put styles into a <style> element. In a script, write the text as "<" + "link".'
      : 'A view is one page without others inside. In a script, write such a text in two parts.';
  return [...others(paths), fileProblem(VIEW_FILE, at, message, hint)];
}
