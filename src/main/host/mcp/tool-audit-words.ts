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

/** Audit words of each call of an assistant, by the call's name in the audit trail. */
export const ASSISTANT_WORDS: ReadonlyMap<string, AuditWords> = new Map(
  [...EVERY_TOOL.map(({ name, audit }) => [name, audit] as const), ...METHOD_WORDS].map(([name, words]) => [
    `${BY_MCP}${name}`,
    words,
  ]),
);
