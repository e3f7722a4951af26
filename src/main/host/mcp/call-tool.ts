import type { z } from 'zod';
import { invalid, PlatformError, type Problem } from '../../../contract/errors.ts';
import { didYouMean } from '../../../shared/did-you-mean.ts';
import { issueText } from '../../../shared/zod-issue-text.ts';
import { cut } from './answer-size.ts';
import type { ResourceLink, Tool, ToolAnswer, ToolCaller } from './tool.ts';
import { errorResult, type ToolResult, toPlatformError } from './tool-error.ts';
import { visibleJson } from './untrusted.ts';

type Issue = z.core.$ZodIssue;

/** Returns the names that an object at this path accepts. */
function namesAt(schema: unknown, path: readonly PropertyKey[]): string[] {
  let at = schema;
  for (const key of [...path, null]) {
    while (typeof at === 'object' && at !== null && 'unwrap' in at && typeof at.unwrap === 'function') at = at.unwrap();
    if (typeof at !== 'object' || at === null || !('shape' in at)) return [];
    const shape = at.shape;
    if (typeof shape !== 'object' || shape === null) return [];
    if (key === null) return Object.keys(shape);
    at = Object.getOwnPropertyDescriptor(shape, key)?.value;
  }
  return [];
}

function problemsOf(tool: Tool, issue: Issue): Problem[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: issue.path.join('.'), message: issueText(issue) }];
  const allowed = namesAt(tool.input, issue.path);
  return issue.keys.map((key) => {
    const near = didYouMean(key, allowed);
    const list = allowed.length === 0 ? 'It takes no arguments.' : `Allowed: ${allowed.join(', ')}.`;
    return {
      path: cut([...issue.path, key].join('.'), 200),
      message: 'is not an argument',
      hint: `${hintOf(near, allowed)}${list}`,
    };
  });
}

function hintOf(near: string | null, allowed: readonly string[]): string {
  if (near !== null) return `Did you mean ${near}? `;
  return allowed.includes('settings') ? 'A setting of the bot goes into config.settings. ' : '';
}

/** Limit of the problems listed for one call; more of them mean that the arguments are nonsense. */
const MOST_PROBLEMS = 50;

/**
 * Checks the arguments of a call. Unknown arguments are refused, because an argument that is silently ignored gives a
 * confident wrong answer.
 */
function readArguments(tool: Tool, given: unknown): unknown {
  const read = tool.input.safeParse(given ?? {}, { reportInput: true });
  if (read.success) return read.data;
  const problems = read.error.issues.flatMap((issue) => problemsOf(tool, issue)).slice(0, MOST_PROBLEMS);
  const error = invalid('INVALID_REQUEST', problems);
  throw new PlatformError('INVALID_REQUEST', `Invalid arguments for ${tool.name}`, {
    details: error.details,
  });
}

function textAt(input: unknown, name: string): string | null {
  if (typeof input !== 'object' || input === null) return null;
  const value: unknown = Object.getOwnPropertyDescriptor(input, name)?.value;
  return typeof value === 'string' ? value : null;
}

/**
 * Lists the existing names after an error for a missing one, so that an assistant can continue from the error alone;
 * undefined for other errors.
 */
async function whatExists(error: PlatformError, input: unknown, caller: ToolCaller): Promise<string | undefined> {
  if (error.code === 'CUSTOM_BOT_NOT_FOUND') {
    const { items } = await caller.call('custom_bots.list', {});
    const names = items.slice(0, 30).map(({ name, versions }) => `${name} (${versions.slice(0, 5).join(', ')})`);
    return names.length === 0 ? 'None is published yet.' : `Published: ${names.join('; ')}.`;
  }
  const botId = textAt(input, 'bot_id');
  if (error.code === 'STATE_KEY_NOT_FOUND' && botId !== null) {
    const { keys } = await caller.call('state.list', { bot_id: botId });
    const names = keys.slice(0, 50).map(({ key }) => JSON.stringify(key));
    return names.length === 0 ? 'This bot has stored nothing yet.' : `Keys of this bot: ${names.join(', ')}.`;
  }
  return undefined;
}

/** Converts an error of a call into a result whose text has everything that the model needs to continue. */
export async function failedCall(thrown: unknown, input: unknown, caller: ToolCaller): Promise<ToolResult> {
  const error = toPlatformError(thrown);
  try {
    return errorResult(error, await whatExists(error, input, caller));
  } catch (further) {
    if (further instanceof PlatformError) return errorResult(error);
    throw further;
  }
}

type Links = readonly ResourceLink[];

const results = new WeakMap<
  object,
  { readonly links: Links; readonly view: string | null; readonly result: ToolResult }
>();

const told = new WeakMap<object, Record<string, unknown>>();

/** Returns the data in the text of a successful result; null for any other answer. */
export const dataOf = (result: object): Record<string, unknown> | null => told.get(result) ?? null;

const waiting = new WeakSet<object>();

/** True for the result of a call that did nothing yet, because a person has to approve it. */
export const isWaiting = (result: object): boolean => waiting.has(result);

const sameLinks = (some: Links, others: Links): boolean =>
  some.length === others.length && some.every(({ uri }, at) => uri === others[at]?.uri);

/** Builds a result. The same data with the same links, such as those of an unchanged bot, gives the same result object. */
function resultOf({ data, links = [], view = null, waits }: ToolAnswer): ToolResult {
  const known = results.get(data);
  if (known !== undefined && known.view === view && sameLinks(known.links, links)) return known.result;
  const shown = visibleJson(data);
  const result = {
    content: [{ type: 'text', text: shown.text }, ...links.map((link) => ({ type: 'resource_link', ...link }))],
    ...(view === null ? {} : { _meta: { ui: { resourceUri: view } } }),
  };
  results.set(data, { links, view, result });
  told.set(result, shown.data);
  if (waits === true) waiting.add(result);
  return result;
}

/** Runs a tool. An error in the tool becomes a result that the model can act on, never a protocol error (MCP, SEP-1303). */
export async function callTool(tool: Tool, given: unknown, caller: ToolCaller): Promise<ToolResult> {
  try {
    return resultOf(await tool.run(readArguments(tool, given), caller));
  } catch (thrown) {
    return failedCall(thrown, given, caller);
  }
}

/**
 * Returns the question for the person before a tool is run; null for a tool without a question. Invalid arguments and a
 * failed question give an error result instead.
 */
export async function questionOf(tool: Tool, given: unknown, caller: ToolCaller): Promise<string | ToolResult | null> {
  if (tool.confirm === undefined) return null;
  try {
    return await tool.confirm(readArguments(tool, given), caller);
  } catch (thrown) {
    return failedCall(thrown, given, caller);
  }
}
