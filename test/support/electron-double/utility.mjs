// A utility process: Node that says it is Electron's, and that ends at once, with no farewell, when the app is gone.
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const { version } = createRequire(import.meta.url)('electron/package.json');
const APP = 3;
const held = new Socket({ fd: APP });
const end = () => process.kill(process.pid, 'SIGKILL');
held.on('data', () => undefined);
held.once('end', end);
held.once('error', end);
held.unref();

Object.defineProperty(process.versions, 'electron', { value: version, enumerable: true });
Object.defineProperty(process, 'type', { value: 'utility' });
const [node, , file, ...args] = process.argv;
process.argv = [node, file, ...args];
await import(pathToFileURL(file).href);
