import { mayDo } from '../api/access.ts';
import type { Principal } from '../auth/auth.ts';
import { callTool } from './call-tool.ts';
import { complete, getPrompt, PROMPTS } from './prompts.ts';
import { listResources, RESOURCE_TEMPLATES, readResource } from './resources.ts';
import { RPC, RpcError } from './rpc.ts';
import type { Surface } from './surface.ts';
import type { Tool, ToolCaller } from './tool.ts';
import { toolSchema } from './tool-schema.ts';

/** A tool in the form of `tools/list`. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Record<string, unknown>;
  readonly annotations: Tool['hints'];
}

const definitions = new WeakMap<Tool, ToolDefinition>();

/**
 * The definition of a tool; its schema is made once. Results have none: models read their text, and every conversation
 * pays for the list.
 */
export function definitionOf(tool: Tool): ToolDefinition {
  const known = definitions.get(tool);
  if (known !== undefined) return known;
  const { name, title, description, hints } = tool;
  const made = {
    name,
    title,
    description,
    inputSchema: toolSchema(tool.input),
    annotations: hints,
  };
  definitions.set(tool, made);
  return made;
}

/** The tools that a key may use; the others do not exist for it. */
export function toolsFor(surface: Surface, principal: Principal): Tool[] {
  return surface.tools.filter((tool) => mayDo(tool.needs, principal));
}

/** Finds the tool of a call; an unknown one is an error of the request. */
export function toolOf(surface: Surface, principal: Principal, params: Record<string, unknown>): Tool {
  const { name } = params;
  if (typeof name !== 'string') throw new RpcError(RPC.invalidParams, 'params.name must be the name of a tool');
  const tool = surface.tools.find((one) => one.name === name);
  if (tool !== undefined && mayDo(tool.needs, principal)) return tool;
  const why = tool === undefined ? `Unknown tool: ${name}` : `This API key may not use ${name}`;
  throw new RpcError(RPC.invalidParams, why, { known: toolsFor(surface, principal).map((one) => one.name) });
}

/** Arguments of a call; anything but an object is an error of the request. */
export function argumentsOf(params: Record<string, unknown>): unknown {
  const { arguments: given } = params;
  if (given !== undefined && (typeof given !== 'object' || given === null || Array.isArray(given))) {
    throw new RpcError(RPC.invalidParams, 'params.arguments must be an object');
  }
  return given;
}

/** Everything a method needs. */
export interface MethodContext {
  readonly surface: Surface;
  readonly caller: ToolCaller;
  /** Text of the authoring guide. */
  readonly guide: string;
}

type Method = (params: Record<string, unknown>, context: MethodContext) => unknown;

/** The methods of the endpoint; every lane runs this one table. */
export const METHODS = {
  'tools/list': (_, { surface, caller }) => ({ tools: toolsFor(surface, caller.principal).map(definitionOf) }),
  'tools/call': (params, { surface, caller }) =>
    callTool(toolOf(surface, caller.principal, params), argumentsOf(params), caller),
  'resources/list': (params, { caller }) => listResources(params, caller),
  'resources/templates/list': () => ({ resourceTemplates: RESOURCE_TEMPLATES }),
  'resources/read': (params, { caller, guide }) => readResource(params, caller, guide),
  'prompts/list': () => ({ prompts: PROMPTS }),
  'prompts/get': (params, { caller, guide }) => getPrompt(params, caller, guide),
  'completion/complete': (params, { caller }) => complete(params, caller),
} as const satisfies Record<string, Method>;

export type MethodName = keyof typeof METHODS;

export const isMethod = (name: string): name is MethodName => Object.hasOwn(METHODS, name);
