import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** Paths of the documents at the root and below docs/, from the root. */
export function documents(): string[] {
  const below = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' });
  const named = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', ...below.map((name) => `docs/${name}`)];
  return named.map((path) => path.replaceAll('\\', '/')).filter((path) => path.endsWith('.md'));
}

/** A document without its blocks of code, whose `#` and brackets mean something else. */
const withoutCode = (text: string): string => text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');

/** The anchors of a document: those of its headings, as GitHub makes them, and those that stand there as `<a id="…">`. */
export function anchorsOf(text: string): string[] {
  const prose = withoutCode(text);
  const seen = new Map<string, number>();
  const headings = [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .trim()
      .replaceAll(' ', '-');
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
  return [...headings, ...[...prose.matchAll(/<a id="([^"]+)"/g)].map(([, id = '']) => id)];
}

/** Targets of a document's links that lead nowhere: the file is missing, or the document has no such anchor. */
export function brokenLinks(path: string, text = readFileSync(join(ROOT, path), 'utf8')): string[] {
  const targets = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => {
    if (/^(?:https?|mailto):/.test(target)) return false;
    const [file = '', anchor] = target.split('#');
    const to = file === '' ? join(ROOT, path) : join(ROOT, dirname(path), file);
    if (!existsSync(to)) return true;
    if (anchor === undefined || !to.endsWith('.md')) return false;
    return !anchorsOf(to === join(ROOT, path) ? text : readFileSync(to, 'utf8')).includes(anchor);
  });
}
