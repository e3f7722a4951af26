import type { z } from 'zod';
import type { CallName, Input, Output } from '../../contract/operations.ts';
import type { Principal } from '../auth/auth.ts';

/** Who calls a tool, and what it may use: the operations, as that caller, and nothing else. */
export interface ToolCaller {
  readonly principal: Principal;
  readonly signal: AbortSignal;
  /** Asks an operation of the table as the caller. Errors are PlatformError. */
  readonly call: <N extends CallName>(name: N, input: Input<N>) => Promise<Output<N>>;
  /** Publishes a package, as the caller. */
  readonly publish: (body: AsyncIterable<Uint8Array>) => Promise<Output<'custom_bots.publish'>>;
  /** Changes of state of the caller's bots from now on; the function that comes back ends it. */
  readonly watch: (seen: (event: Output<'bots.stream'>) => void) => Promise<() => void>;
  /** Tells the client how far a call is, where it asked to be told. */
  readonly progress: (done: number, total: number, message: string) => void;
}

/** What a client may be shown before it decides to call a tool (MCP, tool annotations). Every hint is set: defaults are the worst case. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** Another thing worth reading, as a link in a result. */
export interface ResourceLink {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType: string;
}

/** What a tool answers. `data` is complete: some clients show the model nothing else. */
export interface ToolAnswer {
  readonly data: Record<string, unknown>;
  readonly links?: readonly ResourceLink[];
}

/** A tool of the endpoint: its definition as clients see it, and what it does. */
export interface Tool<I extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: I;
  /** Open: a later version may add fields without breaking a client that keeps this schema. */
  readonly output: z.ZodType;
  readonly hints: ToolHints;
  /** Operation whose access decides whether a key may see and use the tool. */
  readonly needs: CallName | 'custom_bots.publish';
  /** Argument that names what the call is about, for the audit trail. */
  readonly target?: string;
  /** Field of the result that names it, where no argument does. */
  readonly made?: string;
  /** Question to put to the person before a call that cannot be undone, where the client can ask. */
  readonly confirm?: (input: z.output<I>, caller: ToolCaller) => Promise<string>;
  run(input: z.output<I>, caller: ToolCaller): Promise<ToolAnswer>;
}

/** Checks a tool's types where it is written, and forgets its input type so that all fit into one list. */
export function tool<I extends z.ZodType>(definition: Tool<I>): Tool {
  return definition as unknown as Tool;
}

export const READS: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
