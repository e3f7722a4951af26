// Loads the entry of a bot written for Node, and finds in what it exports the function that the platform calls.
import { existsSync, readFileSync } from 'node:fs';
import * as modules from 'node:module';
import { dirname, extname, join } from 'node:path';
import process from 'node:process';
import { compileFunction, constants } from 'node:vm';

const { createRequire, Module } = modules;
const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname'];
const KINDS = { '.cjs': 'commonjs', '.cts': 'commonjs', '.mjs': 'module', '.mts': 'module' };

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
 * Calls a function while Node's warning that `what` is an experiment goes unheard: Node says it once, and would say it in the
 * log of a bot, which is not concerned.
 */
function unheard(what, call) {
  const { emitWarning } = process;
  process.emitWarning = (text, type, ...rest) => {
    const isMeant = type === 'ExperimentalWarning' && String(text).startsWith(`${what} `);
    if (!isMeant) emitWarning.call(process, text, type, ...rest);
  };
  try {
    return call();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Has Node say now that import() in a function compiled here is an experiment of node:vm. */
function sayUnheard(importModuleDynamically) {
  const compiled = compileFunction("import('node:vm')", [], { importModuleDynamically });
  unheard('vm.USE_MAIN_CONTEXT_DEFAULT_LOADER', compiled);
}

const withoutTypes = (text) => unheard('stripTypeScriptTypes', () => modules.stripTypeScriptTypes(text));

/** A file that Node runs as CommonJS, compiled; undefined for an ES module. Node tries CommonJS first, too. */
export function compileCommonJs(path) {
  if (!existsSync(path)) return undefined;
  const kind = KINDS[extname(path)] ?? packageType(dirname(path));
  if (kind === 'module') return undefined;
  try {
    const text = readFileSync(path, 'utf8');
    const source = extname(path).endsWith('ts') ? withoutTypes(text) : text;
    const importModuleDynamically = constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER;
    const compiled = compileFunction(source, PARAMETERS, { filename: path, importModuleDynamically });
    if (importModuleDynamically !== undefined) sayUnheard(importModuleDynamically);
    return compiled;
  } catch (error) {
    if (kind === 'commonjs' || !(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

/** Runs a compiled CommonJS file as Node does, with the answers of `answers`; `module` is filled while it runs. */
export function runCommonJs(path, compiled, module, answers) {
  const require = createRequire(path);
  module.filename = path;
  module.paths = Module._nodeModulePaths(dirname(path));
  Module._cache[path] = module;
  answers.answerCommonJs(module, require);
  Reflect.apply(compiled, module.exports, [module.exports, require, module, path, dirname(path)]);
  module.loaded = true;
}

/** Whether what is exported under this name may be the function that the platform calls. */
export const mayBeCalled = (name) => name === 'main' || name === 'default';

/** Classes cannot be called; they alone have a prototype that cannot be replaced. */
function isClass(value) {
  return typeof value === 'function' && Object.getOwnPropertyDescriptor(value, 'prototype')?.writable === false;
}

/** Names under which something is exported: those of an ES module, or of the plain object that CommonJS fills. */
function namesOf(exported) {
  if (typeof exported !== 'object' || exported === null) return [];
  const prototype = Object.getPrototypeOf(exported);
  return prototype === null || prototype === Object.prototype ? Object.keys(exported) : [];
}

/** Names of exported functions: none of them is called for its name but `main` and `default`. */
export function functionNames(exported) {
  return namesOf(exported).filter((name) => typeof exported[name] === 'function' && !isClass(exported[name]));
}

/**
 * The function that the platform calls, and a call of it with the right `this`: `main`, `main` of the default, the default, or
 * the exported function itself. One of another name may be anything, an order among it.
 */
export function functionOf(exported) {
  const byDefault = exported?.default;
  const candidates = [
    [exported, exported?.main],
    [byDefault, byDefault?.main],
    [exported, byDefault],
    [undefined, exported],
  ];
  const found = candidates.find(([, value]) => typeof value === 'function' && !isClass(value));
  return found && { value: found[1], call: (...given) => Reflect.apply(found[1], found[0], given) };
}

/** The class that an entry exports where a function belongs. */
export function classOf(exported) {
  return [exported?.main, exported?.default, exported].find(isClass);
}

/** Whether an entry that exports this is not the program, even where the platform does not know which function to call. */
export function exportsStart(exported) {
  return (
    typeof exported === 'function' ||
    functionOf(exported) !== undefined ||
    functionNames(exported).length > 0 ||
    namesOf(exported).some(mayBeCalled)
  );
}

/** What an entry exports, in words. */
export function exportsInWords(exported) {
  const names = namesOf(exported);
  return names.length > 0 ? names.join(', ') : 'nothing';
}
