// Loads the entry of a bot written for Node, and knows beforehand what it exports, without running or reading it.
import { existsSync, readFileSync } from 'node:fs';
import * as modules from 'node:module';
import { dirname, extname, join } from 'node:path';
import process from 'node:process';
import { compileFunction, constants } from 'node:vm';

const { createRequire, Module } = modules;
const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname'];
const KINDS = { '.cjs': 'commonjs', '.cts': 'commonjs', '.mjs': 'module', '.mts': 'module' };
const LINKED = 'linked';

/** What the nearest package.json says its files are; undefined where it says nothing. */
function packageType(folder) {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return dirname(folder) === folder ? undefined : packageType(dirname(folder));
  try {
    return JSON.parse(readFileSync(file, 'utf8')).type;
  } catch (cause) {
    throw new Error(`${file} cannot be read as JSON: ${cause.message}`, { cause });
  }
}

/**
 * Has Node say now, unheard, that import() in a function compiled here is an experiment of node:vm: it says so once, and
 * would say it in the log of a bot, which is not concerned.
 */
function sayUnheard(importModuleDynamically) {
  const { emitWarning } = process;
  process.emitWarning = (text, type, ...rest) => {
    const isMeant = type === 'ExperimentalWarning' && String(text).startsWith('vm.USE_MAIN_CONTEXT_DEFAULT_LOADER ');
    if (!isMeant) emitWarning.call(process, text, type, ...rest);
  };
  try {
    compileFunction("import('node:vm')", [], { importModuleDynamically })();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** A file that Node runs as CommonJS, compiled; undefined for an ES module. Node tries CommonJS first, too. */
export function compileCommonJs(path) {
  if (!existsSync(path)) return undefined;
  const kind = KINDS[extname(path)] ?? packageType(dirname(path));
  if (kind === 'module') return undefined;
  try {
    const text = readFileSync(path, 'utf8');
    const source = extname(path).endsWith('ts') ? modules.stripTypeScriptTypes(text) : text;
    const importModuleDynamically = constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER;
    const compiled = compileFunction(source, PARAMETERS, { filename: path, importModuleDynamically });
    if (importModuleDynamically !== undefined) sayUnheard(importModuleDynamically);
    return compiled;
  } catch (error) {
    if (kind === 'commonjs' || !(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

/** Runs a compiled CommonJS file as Node does, with the answers of `guards`; `module` is filled while it runs. */
export function runCommonJs(path, compiled, module, guards) {
  const require = createRequire(path);
  module.filename = path;
  module.paths = Module._nodeModulePaths(dirname(path));
  Module._cache[path] = module;
  guards.answerCommonJs(module, require);
  Reflect.apply(compiled, module.exports, [module.exports, require, module, path, dirname(path)]);
  module.loaded = true;
}

function textModule(text) {
  return `data:text/javascript,${encodeURIComponent(text)}`;
}

/**
 * Whether a module exports a name. Node links a graph of modules before it runs any of it, and runs the first import
 * first: here one that throws, so that neither the module nor its imports run.
 */
export async function exportsName(url, name) {
  const first = JSON.stringify(textModule(`throw ${JSON.stringify(LINKED)};`));
  try {
    await import(textModule(`import ${first}; import { ${name} as it } from ${JSON.stringify(url)};`));
    return false;
  } catch (error) {
    // Any other error is shown when the module is loaded.
    return error === LINKED;
  }
}

/** Whether Node finds `main` among the exports of a CommonJS file before it runs. */
export async function announcesMain(path, url) {
  // A URL of its own, so that the module linked here is not the one that runs.
  const found = await exportsName(`${url}?exports`, 'main');
  delete Module._cache[path];
  return found;
}
