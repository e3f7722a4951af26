import type { BotChangeKind } from '../../../contract/operation.ts';
import { OPERATIONS } from '../../../contract/operations.ts';
import { BY_MCP, EVERY_TOOL } from './tool-audit-words.ts';

/** Change of a bot by each tool, by the tool's name in the audit trail: that of the operation which the tool needs. */
export const BOT_CHANGE_BY_TOOL: ReadonlyMap<string, BotChangeKind> = new Map(
  EVERY_TOOL.flatMap(({ name, needs }): [string, BotChangeKind][] => {
    const { botChange } = OPERATIONS[needs];
    return botChange === null ? [] : [[`${BY_MCP}${name}`, botChange]];
  }),
);
