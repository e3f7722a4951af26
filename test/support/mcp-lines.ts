import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { TestHost } from './platform.ts';
import { until } from './until.ts';

/** A JSON-RPC message, as a test reads it. */
// biome-ignore lint/suspicious/noExplicitAny: answers of all kinds, read by the tests that know them
export type Message = any;

/** `platform mcp` with its lines in the test's hands. */
export interface RawBridge {
  readonly child: ChildProcess;
  /** Every line of stdout so far, parsed: a line that is no JSON fails the test. */
  readonly messages: readonly Message[];
  readonly stderr: () => string;
  send(line: string | object): void;
  /** The answer to an id; null for one without. */
  answer(id: string | number | null): Promise<Message>;
  /** Sends a request and gives its answer. */
  ask(id: string | number, method: string, params?: object): Promise<Message>;
  /** Resolves with the exit code once the process is gone. */
  readonly exited: Promise<number | null>;
}

/** Starts `platform mcp` of the built command line against a host. */
export function rawBridge(host: TestHost, env: NodeJS.ProcessEnv = {}, ...args: string[]): RawBridge {
  const child = host.spawnCli({ env }, 'mcp', ...args);
  const messages: Message[] = [];
  let stderr = '';
  if (child.stdout === null || child.stdin === null) throw new Error('the command has no pipes');
  const { stdin } = child;
  createInterface({ input: child.stdout }).on('line', (line) => messages.push(JSON.parse(line)));
  child.stderr?.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const send = (line: string | object): void => {
    stdin.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
  };
  const answer = (id: string | number | null): Promise<Message> =>
    until(`the answer to ${id}`, () => messages.find((one) => one.id === id && one.method === undefined));
  return {
    child,
    messages,
    stderr: () => stderr,
    send,
    answer,
    ask(id, method, params = {}) {
      send({ jsonrpc: '2.0', id, method, params });
      return answer(id);
    },
    exited,
  };
}
