// Starts the entry of a bot written for Node, in the program that the platform starts or in a worker of its cluster.
import { existsSync, realpathSync } from 'node:fs';
import * as modules from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { error as endWithError } from '../sdk/node/output.mjs';
import { announcesMain, compileCommonJs, exportsName, runCommonJs } from './node-entry.mjs';
import { Guards } from './node-guards.mjs';

const SDK_NAME = '@bot-platform/sdk';
const SDK_PATH = join(dirname(fileURLToPath(import.meta.url)), '..', 'sdk', 'node', 'index.mjs');
const SDK = pathToFileURL(SDK_PATH).href;
const NOT_FOUND = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'];
const ANSWER_META = 'bot-platform.answer-meta';

/** The text of an ES module that hands its import.meta over before anything else in it runs. */
function withAnswers(source) {
  const text = `${typeof source === 'string' ? source : Buffer.from(source).toString('utf8')}\n`;
  const start = text.startsWith('#!') ? text.indexOf('\n') + 1 : 0;
  return `${text.slice(0, start)}globalThis[Symbol.for('bot-platform.answer-meta')]?.(import.meta); ${text.slice(start)}`;
}

/**
 * The SDK is found without being installed; a copy that the bot brought along wins, and a broken copy is not hidden. The
 * entry, if it is an ES module, hands over its import.meta.
 */
function hook(entryUrl) {
  const isMissing = (specifier, error) => specifier === SDK_NAME && NOT_FOUND.includes(error.code);
  const load = (url, loaded) =>
    url === entryUrl && loaded.format?.startsWith('module')
      ? { ...loaded, source: withAnswers(loaded.source) }
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
  modules.register(`data:text/javascript,${encodeURIComponent(source)}`);
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

function functionOf(exported) {
  const candidates = [exported?.main, exported?.default?.main, exported?.default, exported];
  return candidates.find((candidate) => typeof candidate === 'function');
}

/** Loads the entry; the function to call, or undefined when the file was the program itself. */
async function load(path) {
  const name = basename(path);
  const url = pathToFileURL(path).href;
  const compiled = compileCommonJs(path);
  hook(compiled === undefined ? url : undefined);
  let exported;
  let announced;
  let guards;
  if (compiled === undefined) {
    announced = (await exportsName(url, 'main')) || (await exportsName(url, 'default'));
    guards = new Guards(path, () => announced);
    globalThis[Symbol.for(ANSWER_META)] = (meta) => guards.answerMeta(meta);
    exported = await import(url);
  } else {
    announced = await announcesMain(path, url);
    const module = new modules.Module(path, null);
    guards = new Guards(path, () => announced || functionOf(module.exports) !== undefined);
    runCommonJs(path, compiled, module, guards);
    exported = module.exports;
  }
  const main = functionOf(exported);
  if (main !== undefined && guards.heardYes) {
    endWithError(
      `${name} asked whether it is the program before it had exported a function, and started itself with its own settings; it was ended. Export before you ask: exports.main = main`,
    );
  }
  if (main === undefined && announced && guards.asked) {
    endWithError(
      `${name} exports main or default, neither of them a function, and starts itself only as the program. Export a function main(botId, config), or neither name`,
    );
  }
  return main;
}

/**
 * Loads the entry, calls its function, if it has one, and then `use` with what that returned. `process.argv` must hold
 * what plain Node would give the entry, but for its second element, which becomes the path of the entry.
 */
export async function startEntry(entry, use = () => undefined) {
  try {
    const path = existsSync(entry) ? realpathSync(entry) : resolve(entry);
    process.argv[1] = path;
    const main = await load(path);
    use(await main?.(process.env.BOT_ID ?? '', JSON.parse(process.env.BOT_CONFIG || '{}')));
  } catch (error) {
    // Left to Node, a syntax error is shown with its file and line, and an error with its cause. What the bot listens to
    // for its own stray exceptions must not turn a failed start into a success.
    process.removeAllListeners('uncaughtException');
    throw error;
  }
}
