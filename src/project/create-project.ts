import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { invalid } from '../contract/errors.ts';
import { CUSTOM_BOT_NAME } from '../contract/limits.ts';
import type { Template } from '../contract/project.ts';
import { TEMPLATES } from '../runtimes/registry.ts';
import { addReadyView, type ReadyView } from './ready-view.ts';

/** Spellings, without accents, of letters that Unicode does not decompose. */
const PLAIN: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', þ: 'th' };

/** Makes a valid name from the name of the folder. */
function nameFrom(folder: string): string {
  return folder
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[ßæœøłđþ]/g, (letter) => PLAIN[letter] ?? '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 50)
    .replace(/-+$/, '');
}

function fillIn(dir: string, name: string): void {
  for (const entry of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
    const path = join(dir, entry);
    if (statSync(path).isFile()) writeFileSync(path, readFileSync(path, 'utf8').replaceAll('{{name}}', name));
  }
}

/** Inputs of a new project. */
export interface NewProject {
  /** Absolute path of a folder that is empty or does not exist. */
  readonly dir: string;
  readonly template: Template;
  /** Name of the custom bot; left out: made from the name of the folder. */
  readonly name?: string | undefined;
  /** A view that it begins with; left out: none. */
  readonly view?: ReadyView | undefined;
  /** Folder with the product's templates and SDKs. */
  readonly resourcesDir: string;
  /** Advice for a folder whose name yields no valid name of a custom bot. */
  readonly nameHint: string;
}

/** Makes a project from a template and returns its name. Throws INVALID_REQUEST, and overwrites nothing. */
export function createProject({ dir, template, name, view, resourcesDir, nameHint }: NewProject): string {
  const chosen = name ?? nameFrom(basename(dir));
  if (!CUSTOM_BOT_NAME.test(chosen)) {
    const message = `"${chosen}" is no name for a custom bot`;
    throw invalid('INVALID_REQUEST', [{ path: 'name', message, hint: nameHint }]);
  }
  if (existsSync(dir) && (!statSync(dir).isDirectory() || readdirSync(dir).length > 0)) {
    const hint = 'Choose another folder; nothing is ever overwritten.';
    throw invalid('INVALID_REQUEST', [{ path: dir, message: 'is not empty', hint }]);
  }
  mkdirSync(dir, { recursive: true });
  try {
    cpSync(join(resourcesDir, 'templates', template), dir, { recursive: true });
    fillIn(dir, chosen);
    for (const { from, to } of TEMPLATES.get(template)?.copies ?? []) {
      cpSync(join(resourcesDir, from), join(dir, to), { recursive: true });
    }
    if (view !== undefined) addReadyView(dir, view, resourcesDir);
  } catch (error) {
    // The folder was empty before; a partial project would block the next attempt.
    for (const name of readdirSync(dir)) rmSync(join(dir, name), { recursive: true, force: true });
    throw error;
  }
  return chosen;
}
