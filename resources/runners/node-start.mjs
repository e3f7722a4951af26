// Starts the entry of a bot written for Node: for node-runner.mjs in the program that the platform starts, for node-again.mjs
// in a worker of its cluster. node-entry.mjs loads it and finds the function to call, node-main-answers.mjs answers whether it
// is the program, node-calls.mjs tells whether it has called that function itself, and node-dry-run.mjs whether it exports one.
import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import * as modules from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { error as endWithError, log } from '../sdk/node/output.mjs';
import { Calls } from './node-calls.mjs';
import {
  classOf,
  compileCommonJs,
  exportsInWords,
  exportsStart,
  functionNames,
  functionOf,
  mayBeCalled,
  runCommonJs,
} from './node-entry.mjs';
import { MainAnswers } from './node-main-answers.mjs';

const SDK_NAME = '@bot-platform/sdk';
const SDK_PATH = join(dirname(fileURLToPath(import.meta.url)), '..', 'sdk', 'node', 'index.mjs');
const SDK = pathToFileURL(SDK_PATH).href;
const NOT_FOUND = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'];
const ENTRY = 'bot-platform.entry';
const DRY_RUN = fileURLToPath(new URL('node-dry-run.mjs', import.meta.url));
/** Longer than any top level takes that does not wait for something. */
const DRY_RUN_MS = 60_000;

/**
 * The text of an ES module that hands over the names of its exports before its imports run, by an import that runs first
 * and has been linked with it, and its import.meta before anything else in it runs.
 */
function withAnswers(source, url) {
  const text = `${typeof source === 'string' ? source : Buffer.from(source).toString('utf8')}\n`;
  const start = text.startsWith('#!') ? text.indexOf('\n') + 1 : 0;
  const known = "globalThis[Symbol.for('bot-platform.entry')]";
  const first = `import * as entry from ${JSON.stringify(url)}; ${known}?.names(Reflect.ownKeys(entry), entry);`;
  const answers = `import ${JSON.stringify(`data:text/javascript,${encodeURIComponent(first)}`)}; ${known}?.meta(import.meta);`;
  return `${text.slice(0, start)}${answers} ${text.slice(start)}`;
}

/**
 * The SDK is found without being installed; a copy that the bot brought along wins, and a broken copy is not hidden. The
 * entry, if it is an ES module, hands over what `withAnswers` says.
 */
function hook(entryUrl) {
  const isMissing = (specifier, error) => specifier === SDK_NAME && NOT_FOUND.includes(error.code);
  const load = (url, loaded) =>
    url === entryUrl && loaded.format?.startsWith('module')
      ? { ...loaded, source: withAnswers(loaded.source, url) }
      : loaded;
  if (typeof modules.registerHooks === 'function') {
    modules.registerHooks({
      resolve(specifier, context, next) {
        try {
          return next(specifier, context);
        } catch (error) {
          if (!isMissing(specifier, error)) throw error;
          return { url: SDK, format: 'module', shortCircuit: true };
        }
      },
      load: (url, context, next) => load(url, next(url, context)),
    });
    return;
  }
  // Before Node 22.15 hooks run in a thread of their own and do not see require(), which has its own way to a file.
  const source = `const entryUrl = ${JSON.stringify(entryUrl)};
  ${withAnswers}
  const change = ${load};
  export const load = async (url, context, next) => change(url, await next(url, context));
  export async function resolve(specifier, context, next) {
    try { return await next(specifier, context); } catch (error) {
      if (specifier !== ${JSON.stringify(SDK_NAME)} || error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
      return { url: ${JSON.stringify(SDK)}, format: 'module', shortCircuit: true };
    }
  }`;
  // A dry run may have no thread; its entry is CommonJS, which needs none.
  if (process.permission === undefined) modules.register(`data:text/javascript,${encodeURIComponent(source)}`);
  const { Module } = modules;
  const resolveFilename = Module._resolveFilename;
  Module._resolveFilename = function resolveSdk(request, ...rest) {
    try {
      return resolveFilename.call(this, request, ...rest);
    } catch (error) {
      if (!isMissing(request, error)) throw error;
      return SDK_PATH;
    }
  };
}

/** Runs a CommonJS entry; what it exports. */
function runEntry(path, compiled, module, answers) {
  runCommonJs(path, compiled, module, answers);
  return module.exports;
}

/** Loads a CommonJS entry with the answers of `answers`; what it exports. */
export function loadCommonJs(path, answers) {
  hook();
  return runEntry(path, compileCommonJs(path), new modules.Module(path, null), answers);
}

/** Whether the entry exports what is to be called, by a dry run; `reason` says why that is not known. */
function dryRun(path) {
  const flag = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission';
  const args = [...process.execArgv, flag, '--allow-fs-read=*', DRY_RUN, path, ...process.argv.slice(2)];
  const { NODE_CHANNEL_FD, NODE_UNIQUE_ID, PLATFORM_QUERY_WARM, ...env } = process.env;
  const options = { env, stdio: ['ignore', 'ignore', 'ignore', 'pipe'], timeout: DRY_RUN_MS, killSignal: 'SIGKILL' };
  const { error, output } = spawnSync(process.execPath, args, options);
  const said = output?.[3]?.toString('utf8') ?? '';
  if (said !== '') return JSON.parse(said);
  return { reason: error?.message ?? 'the program ended before its top level was done' };
}

/** A warning that the entry has started itself, which is given once. */
function ownCallWarning(name) {
  let isGiven = false;
  return () => {
    if (!isGiven)
      log(
        `${name} has called its own function at its top level, with the settings given there; it is not called again. Call it there only if it is the program, or not at all`,
        'warn',
      );
    isGiven = true;
  };
}

/** The function of an ES module that is still being loaded; undefined before it has one. */
function functionSoFar(exported) {
  try {
    return functionOf(exported);
  } catch (error) {
    if (error instanceof ReferenceError) return undefined;
    throw error;
  }
}

/** Loads the entry: what it exports, what it has heard, and why nothing was known beforehand, where that is so. */
async function load(path, isWorker, { calls, warnOfOwnCall }) {
  const url = pathToFileURL(path).href;
  const compiled = compileCommonJs(path);
  hook(compiled === undefined ? url : undefined);
  if (compiled === undefined) {
    let names;
    const answers = new MainAnswers(path, () => names === undefined || names.length > 0);
    globalThis[Symbol.for(ENTRY)] = {
      names: (keys, exported) => {
        names = keys.filter((key) => typeof key === 'string');
        if (!names.some(mayBeCalled)) return;
        calls.begin(() => {
          const main = functionSoFar(exported);
          if (main !== undefined && calls.include(main.value)) warnOfOwnCall();
        });
      },
      meta: (meta) => answers.answerMeta(meta),
    };
    return { exported: await import(url), answers };
  }
  const module = new modules.Module(path, null);
  let found;
  const answers = new MainAnswers(path, (byEntry) => {
    if (isWorker || exportsStart(module.exports)) return true;
    // What a library reads does not start the bot, and must not cost it a program.
    if (byEntry) found ??= dryRun(path);
    return found !== undefined && found.isCalled !== false;
  });
  calls.begin(() => undefined);
  return { exported: runEntry(path, compiled, module, answers), answers, reason: found?.reason };
}

/** Ends an entry of which cannot be known how it is started, so that it does not run with the settings of its author. */
function checkStart(name, { exported, answers, reason }, main) {
  if (main !== undefined) {
    if (answers.heardYes)
      endWithError(
        `${name} exports a function only as the program, and has started itself with its own settings; it was ended. Export main whether or not it is the program`,
      );
    return;
  }
  const advice = 'Export a function main(botId, config)';
  if (classOf(exported) !== undefined)
    endWithError(`${name} exports a class, which cannot be called. ${advice}, or give the class a static method main`);
  if (!answers.asked || answers.heardYes) return;
  if (reason !== undefined && !exportsStart(exported))
    endWithError(
      `${name} asks whether it is the program before it has exported a function, and its top level could not be tried without effects: ${reason}. ${advice} above the question, or start the bot without asking`,
    );
  endWithError(
    `${name} asks whether it is the program, which it is not, since it exports ${exportsInWords(exported)}; none of that can be called. ${advice}, or nothing`,
  );
}

/**
 * Loads the entry, calls its function, if it has one and has not called that itself, and then `use` with what it returned.
 * `process.argv` must hold what plain Node would give the entry, but for its second element, which becomes the path of the
 * entry. A worker of its cluster is called as the bot is.
 */
export async function startEntry(entry, { use = () => undefined, isWorker = false } = {}) {
  const calls = new Calls();
  try {
    const path = existsSync(entry) ? realpathSync(entry) : resolve(entry);
    process.argv[1] = path;
    const name = basename(path);
    const warnOfOwnCall = ownCallWarning(name);
    const loaded = await load(path, isWorker, { calls, warnOfOwnCall });
    calls.stop();
    const main = functionOf(loaded.exported);
    checkStart(name, loaded, main);
    if (main === undefined) {
      const others = functionNames(loaded.exported);
      if (others.length > 0)
        log(
          `${name} exports ${others.join(', ')}, which the platform does not call: it calls main, or the default`,
          'warn',
        );
      return;
    }
    if (calls.include(main.value)) {
      warnOfOwnCall();
      return;
    }
    calls.close();
    use(await main.call(process.env.BOT_ID ?? '', JSON.parse(process.env.BOT_CONFIG || '{}')));
  } catch (error) {
    // Left to Node, a syntax error is shown with its file and line, and an error with its cause. What the bot listens to
    // for its own stray exceptions must not turn a failed start into a success.
    process.removeAllListeners('uncaughtException');
    throw error;
  } finally {
    calls.close();
  }
}
