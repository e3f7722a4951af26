#!/usr/bin/env node
import { homedir } from 'node:os';
import process from 'node:process';
import { dataDirOf } from '../shared/data-dir.ts';
import { ENTRIES } from './command-registry.ts';
import { createContext } from './context.ts';
import { commandName } from './copyable-command.ts';
import { EXIT } from './exit-codes.ts';
import { explained } from './explain-error.ts';
import { isInterruption } from './interrupted.ts';
import { createOutput } from './output.ts';
import { readArguments, readRequest } from './parse.ts';
import { readProductVersion } from './read-product-version.ts';
import { showError } from './show-error.ts';

/** Entry of the command line. Nothing heavy is imported before the command is known. */
const interrupted = new AbortController();
const SAME_SIGNAL_MS = 300;

function interruptSignal(): AbortSignal {
  let first = 0;
  const stop = (): void => {
    const now = performance.now();
    // One Ctrl-C may come twice: from the terminal, and passed on by what started this process, such as npm.
    if (interrupted.signal.aborted && now - first > SAME_SIGNAL_MS) process.exit(EXIT.interrupted);
    if (!interrupted.signal.aborted) first = now;
    interrupted.abort();
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, stop);
  if (process.channel !== undefined) {
    // The program that started this one has ended.
    process.on('disconnect', stop);
    process.channel.unref();
  }
  return interrupted.signal;
}

let name = commandName(process.env);

async function run(argv: readonly string[], out: ReturnType<typeof createOutput>): Promise<number> {
  const request = readRequest(argv);
  if (request.version) {
    out.raw(`${readProductVersion()}\n`);
    return EXIT.ok;
  }
  if (request.entry === null) {
    const { programHelp } = await import('./help.ts');
    out.raw(programHelp(request.group, name.program));
    return EXIT.ok;
  }
  const { words, load } = request.entry;
  const { command } = await load();
  const args = readArguments(command, words, request.rest);
  if (args.flag('help')) {
    const { commandHelp } = await import('./help.ts');
    out.raw(commandHelp(words, command, name.program));
    return EXIT.ok;
  }
  const { env } = process;
  const url = args.text('url');
  const bot = command.positionals[0] === '<bot>' ? args.positionals[0] : undefined;
  name = commandName(env, { url, data: args.text('data'), bot });
  const dataDir = args.text('data') ?? dataDirOf(env, process.platform, homedir());
  const commands = ENTRIES.map((entry) => entry.words);
  const context = createContext({ out, env, url, dataDir, name, commands, signal: interruptSignal() });
  try {
    return (await command.run(context, args)) ?? EXIT.ok;
  } catch (error) {
    throw await explained(error, context);
  }
}

const argv = process.argv.slice(2);
const out = createOutput({ json: argv.includes('--json'), env: process.env, onClosed: () => process.exit(EXIT.ok) });
try {
  process.exitCode = await run(argv, out);
} catch (error) {
  if (!isInterruption(error)) process.exitCode = showError(error, out, name);
  if (isInterruption(error) || interrupted.signal.aborted) process.exitCode = EXIT.interrupted;
}
