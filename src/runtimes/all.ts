import { COMMAND, COMMAND_SUMMARY } from './command.ts';
import { DOTNET, DOTNET_SUMMARY } from './dotnet.ts';
import { JVM, JVM_SUMMARY } from './jvm.ts';
import { NATIVE, NATIVE_SUMMARY } from './native.ts';
import { NODE, NODE_SUMMARY } from './node.ts';
import { PYTHON, PYTHON_SUMMARY } from './python.ts';
import type { RuntimeDescriptor } from './runtime.ts';

/** Every family of runtimes, in the order in which they are listed; the first runtime and template are the defaults. */
export const SUMMARIES = [
  PYTHON_SUMMARY,
  NODE_SUMMARY,
  NATIVE_SUMMARY,
  COMMAND_SUMMARY,
  JVM_SUMMARY,
  DOTNET_SUMMARY,
] as const;

/** The same families with what only programs need that start, pack or explain bots; the dashboard does not load it. */
export const DESCRIPTORS: readonly RuntimeDescriptor[] = [PYTHON, NODE, NATIVE, COMMAND, JVM, DOTNET];
