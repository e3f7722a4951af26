// Does what the Electron binary does before and after the app's own main file.
import { readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const double = new URL('./electron.mjs', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' || specifier === 'electron/main'
      ? { url: double, format: 'module', shortCircuit: true }
      : next(specifier, context),
});

const args = process.argv.slice(2);
const ends = args.indexOf('--');
const own = ends < 0 ? args : args.slice(0, ends);
const preloaded = [];
let entry;
for (let at = 0; at < own.length; at++) {
  if (own[at] === '-r') preloaded.push(own[++at]);
  else if (!own[at].startsWith('-')) entry ??= own[at];
}
const appPath = resolve(entry ?? '.');
const manifest = JSON.parse(readFileSync(join(appPath, 'package.json'), 'utf8'));
const { version } = createRequire(import.meta.url)('electron/package.json');

process.argv = [join(import.meta.dirname, 'electron'), ...args];
for (const [name, value] of Object.entries({ electron: version, chrome: '0.0.0.0' })) {
  Object.defineProperty(process.versions, name, { value, enumerable: true });
}
// An installed app, as far as files go: the archive as a folder of that name, beside the unpacked files.
const isPackaged = appPath.endsWith('app.asar');
const resourcesPath = isPackaged ? dirname(appPath) : appPath;
for (const [name, value] of Object.entries({ type: 'browser', defaultApp: !isPackaged, resourcesPath })) {
  Object.defineProperty(process, name, { value });
}

const { start } = await import('./app.mjs');
start.prepare({ manifest, appPath, isPackaged });
const require = createRequire(import.meta.url);
for (const file of preloaded) require(resolve(file));
await import(pathToFileURL(join(appPath, manifest.main)).href);
await start.run();
