import type { AuditWords } from '../../../contract/audit-words.ts';
import { EXTENDED_TOOLS } from './tools/extended.ts';
import { TOOLS } from './tools/tools.ts';

/** Prefix of a tool or method of MCP in the audit trail. */
export const BY_MCP = 'mcp ';

const METHOD_WORDS: readonly (readonly [string, AuditWords])[] = [
  ['tools/call', ['called', 'call', 'a tool that does not exist[: {name}]']],
  ['resources/read', ['read', 'read', '[{uri}|a resource]']],
  ['prompts/get', ['took', 'take', '[the prompt {name}|a prompt]']],
];

/** Every tool, of both endpoints. */
export const EVERY_TOOL = [...TOOLS, ...EXTENDED_TOOLS];

const WORDS: ReadonlyMap<string, AuditWords> = new Map([
  ...EVERY_TOOL.map(({ name, audit }): [string, AuditWords] => [name, audit]),
  ...METHOD_WORDS,
]);

/** Audit words of an assistant's call; null for any other operation, or a removed tool. */
export function assistantWords(operation: string): AuditWords | null {
  return operation.startsWith(BY_MCP) ? (WORDS.get(operation.slice(BY_MCP.length)) ?? null) : null;
}
