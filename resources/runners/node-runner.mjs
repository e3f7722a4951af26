// Starts a bot written for Node:  node node-runner.mjs ENTRY
//
// The entry may be an ES module or CommonJS. What it exports as `main`, as default, or as the module itself is called
// with (botId, config) and awaited; a plain script just runs. A returned object becomes the result unless the bot has
// written one. An exception gives a traceback on stderr and exit code 1.
import { existsSync } from 'node:fs';
import * as modules from 'node:module';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';

const SDK_NAME = '@bot-platform/sdk';
const SDK = pathToFileURL(join(dirname(fileURLToPath(import.meta.url)), '..', 'sdk', 'node', 'index.mjs')).href;

/** The SDK is found without being installed; a copy that the bot brought along wins. */
function provideSdk() {
  if (typeof modules.registerHooks === 'function') {
    modules.registerHooks({
      resolve(specifier, context, next) {
        try {
          return next(specifier, context);
        } catch (error) {
          if (specifier !== SDK_NAME) throw error;
          return { url: SDK, format: 'module', shortCircuit: true };
        }
      },
    });
    return;
  }
  // Before Node 22.15 hooks run in a thread of their own and do not see require().
  const source = `export async function resolve(specifier, context, next) {
    try { return await next(specifier, context); } catch (error) {
      if (specifier !== ${JSON.stringify(SDK_NAME)}) throw error;
      return { url: ${JSON.stringify(SDK)}, format: 'module', shortCircuit: true };
    }
  }`;
  modules.register(`data:text/javascript,${encodeURIComponent(source)}`);
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
  const module = await import(pathToFileURL(path).href);
  const main = functionOf(module);
  if (main === undefined) return;
  await reportResult(await main(process.env.BOT_ID ?? '', JSON.parse(process.env.BOT_CONFIG || '{}')));
}

try {
  await start();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
}
