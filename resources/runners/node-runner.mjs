// Starts a bot written for Node:  node node-runner.mjs ENTRY
//
// The entry may be an ES module or CommonJS. What it exports as `main`, as default, or as the module itself is called
// with (botId, config) and awaited; a plain script just runs, also one that asks whether it is the program. A returned
// object becomes the result unless the bot has written one. An exception gives a traceback on stderr and exit code 1.
//
// Limits: require() of the SDK, which is an ES module, needs Node 20.19, 22.12 or later; import works in every Node 20.
import { existsSync, readFileSync } from 'node:fs';
import * as modules from 'node:module';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';

const SDK_NAME = '@bot-platform/sdk';
const SDK_PATH = join(dirname(fileURLToPath(import.meta.url)), '..', 'sdk', 'node', 'index.mjs');
const SDK = pathToFileURL(SDK_PATH).href;
const STARTS_ITSELF = /^\s*if\s*\(.*(?:\brequire\.main\b|\bprocess\.argv\[1\])/m;
const ASKS_META = /^\s*if\s*\(.*\bimport\.meta\.main\b/m;
const NOT_FOUND = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'];

/** The SDK is found without being installed; a copy that the bot brought along wins, and a broken copy is not hidden. */
function provideSdk() {
  const isMissing = (specifier, error) => specifier === SDK_NAME && NOT_FOUND.includes(error.code);
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
    });
    return;
  }
  // Before Node 22.15 hooks run in a thread of their own and do not see require(), which has its own way to a file.
  const source = `export async function resolve(specifier, context, next) {
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

/** `if (require.main === module)` and the like: such a file starts itself, and called as well it would trade twice. */
function startsItself(path) {
  if (!existsSync(path)) return false;
  const source = readFileSync(path, 'utf8');
  const [major, minor] = process.versions.node.split('.').map(Number);
  // Before Node 24.2 import.meta.main is undefined, so that such a file waits to be called.
  const knowsMeta = major > 24 || (major === 24 && minor >= 2);
  return STARTS_ITSELF.test(source) || (knowsMeta && ASKS_META.test(source));
}

function functionOf(module) {
  const candidates = [module.main, module.default?.main, module.default, module['module.exports']];
  return candidates.find((candidate) => typeof candidate === 'function');
}

async function reportResult(value) {
  if (typeof value !== 'object' || value === null) return;
  const path = process.env.RESULT_FILE || join(process.env.CODE_MOUNT_DIR || '.', 'result.json');
  if (existsSync(path)) return;
  const { result } = await import(SDK);
  result(value);
}

async function start() {
  const [, , entry] = process.argv;
  if (entry === undefined) throw new Error('node-runner.mjs needs the path of the entry');
  const path = resolve(entry);
  process.argv.splice(1, 2, path);
  provideSdk();
  if (startsItself(path)) return modules.runMain();
  const module = await import(pathToFileURL(path).href);
  const main = functionOf(module);
  if (main === undefined) return;
  await reportResult(await main(process.env.BOT_ID ?? '', JSON.parse(process.env.BOT_CONFIG || '{}')));
}

try {
  await start();
} catch (error) {
  // Left to Node, a syntax error is shown with its file and line, and an error with its cause. What the bot listens to
  // for its own stray exceptions must not turn a failed start into a success.
  process.removeAllListeners('uncaughtException');
  throw error;
}
