import { type ChildProcess, spawn } from 'node:child_process';
import { withoutApiKey } from '../shared/without-api-key.ts';
import { hostNode } from './product-paths.ts';

export interface WindowOptions {
  /** The Electron binary; `args` lead it to the app. */
  readonly program: string;
  readonly args: readonly string[];
  readonly dataDir: string;
  /** Flags of the host, for the case that the app starts one. */
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Ends the app. */
  readonly signal: AbortSignal;
}

/** Outcome of a start of the desktop app. */
export type WindowStart =
  /** It runs; `ended` is its exit code. */
  | { readonly at: 'open'; readonly ended: Promise<number> }
  /** It ran already and has brought its window to the front. */
  | { readonly at: 'handed over' }
  | { readonly at: 'failed'; readonly why: string };

const LAST_CHARS = 4000;

function lastLine(text: string): string | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  // Chromium prints many harmless messages, but marks the one that ends it.
  const line = lines.findLast((one) => one.includes('FATAL')) ?? lines.at(-1);
  return line?.trim() ?? null;
}

/** Resolves to true once the app has said that it runs, to false when its output ends before. */
function isUp(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-LAST_CHARS);
      if (text.includes('{"desktop":true')) resolve(true);
    });
    child.once('error', () => resolve(false));
    child.once('close', () => resolve(false));
  });
}

/** Starts the desktop app of this installation and waits until it runs or has failed. */
export async function openWindow({ program, args, dataDir, flags, env, signal }: WindowOptions): Promise<WindowStart> {
  const { ELECTRON_RUN_AS_NODE: _, ...rest } = withoutApiKey(env);
  const host = ['--data', dataDir, '--node', hostNode(), ...flags];
  // A group of its own: Ctrl-C of the terminal reaches this process alone, which then ends the app in order.
  const child = spawn(program, [...args, '--', ...host], {
    detached: true,
    env: rest,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-LAST_CHARS);
  });
  const ended = new Promise<number>((resolve) => {
    child.once('error', (error) => {
      said = error.message;
      resolve(1);
    });
    child.once('close', (code) => resolve(code ?? 1));
  });
  const stop = (): void => {
    child.kill('SIGTERM');
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  if (await isUp(child)) return { at: 'open', ended };
  const code = await ended;
  if (code === 0) return { at: 'handed over' };
  return { at: 'failed', why: `Electron ended with ${code}${said === '' ? '' : ` (${lastLine(said)})`}` };
}
