import type { z } from 'zod';
import type { AuditWords } from '../../../contract/audit-words.ts';
import {
  type CallName,
  type Input,
  OPERATIONS,
  type Output,
  type StreamName,
  type UploadName,
} from '../../../contract/operations.ts';
import type { StreamSink } from '../api/api-types.ts';
import type { Principal } from '../auth/auth.ts';
import type { WhileOpen } from './open-calls.ts';

/** Reader of a stream; each `id` is the position to resume after. */
export interface StreamReader<N extends StreamName> extends Partial<Pick<StreamSink, 'start' | 'gap' | 'end'>> {
  readonly push: (event: Output<N>, id: string) => void;
}

/** Caller of a tool, with access to the operations as that caller and to nothing else. */
export interface ToolCaller {
  readonly principal: Principal;
  readonly signal: AbortSignal;
  /** Calls an operation of the table as the caller, until the signal, else until the client goes. Throws PlatformError. */
  readonly call: <N extends CallName>(name: N, input: Input<N>, signal?: AbortSignal) => Promise<Output<N>>;
  /** Publishes a package, as the caller. */
  readonly publish: (body: AsyncIterable<Uint8Array>) => Promise<Output<'custom_bots.publish'>>;
  /** Follows a stream of the table as the caller; the returned function ends it. */
  readonly follow: <N extends StreamName>(name: N, input: Input<N>, reader: StreamReader<N>) => Promise<() => void>;
  /**
   * Lets the call wait as long as its client waits and its key is valid. Throws RATE_LIMITED for a key with many such
   * calls.
   */
  readonly whileOpen: WhileOpen;
  /** Reports the progress of a call to a client that asked for it. */
  readonly progress: (done: number, total: number, message: string) => void;
}

/**
 * Hints that a client may show before it calls a tool (MCP, tool annotations). Every hint is set, because the defaults
 * are the worst case.
 */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** Link to another resource in a result. */
export interface ResourceLink {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType: string;
}

/** Answer of a tool. `data` is complete, because some clients show the model nothing else. */
export interface ToolAnswer {
  readonly data: Record<string, unknown>;
  readonly links?: readonly ResourceLink[];
  /** Address of the view that a client may show beside the data; null for none. */
  readonly view?: string | null;
  /** Nothing was done yet: a person has to approve it. */
  readonly waits?: true;
}

/** A tool of the endpoint: its definition for clients, and its function. */
export interface Tool<I extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly title: string;
  /** Words of the audit trail for a call. */
  readonly audit: AuditWords;
  readonly description: string;
  readonly input: I;
  readonly hints: ToolHints;
  /** Operation whose access decides whether a key may see and use the tool. */
  readonly needs: CallName | UploadName;
  /** Argument that names the object of the call, for the audit trail. */
  readonly target?: string;
  /** Field of the result that names the object, where no argument does. */
  readonly made?: string;
  /** Returns the question for the person before a call that cannot be undone, for clients that can ask. */
  readonly confirm?: (input: z.output<I>, caller: ToolCaller) => Promise<string>;
  run(input: z.output<I>, caller: ToolCaller): Promise<ToolAnswer>;
}

/** Hints that a tool sets itself; the others follow from the operation that it needs. */
type OwnHints = Omit<ToolHints, 'readOnlyHint' | 'destructiveHint'>;

/** Checks a tool's types at its definition, and removes its input type so that all tools fit into one list. */
export function tool<I extends z.ZodType>(definition: Omit<Tool<I>, 'hints'> & { readonly hints: OwnHints }): Tool {
  const { effect } = OPERATIONS[definition.needs];
  const hints = {
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'destructive',
    ...definition.hints,
  };
  return { ...definition, hints } as unknown as Tool;
}

export const READS: OwnHints = { idempotentHint: true, openWorldHint: false };
