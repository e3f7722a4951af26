import type { Tool } from '../tool.ts';
import { AUTH_STATUS } from './auth-status.ts';
import { BOT_CHANGES } from './bot-changes.ts';
import { BOT_GET } from './bot-get.ts';
import { BOT_LIST } from './bot-list.ts';
import { BOT_QUERY } from './bot-query.ts';
import { CATALOG_TOOLS } from './catalog.ts';
import { LOG_TOOLS } from './logs.ts';
import { STATE_TOOLS } from './read-state.ts';

/**
 * The 14 tools of POST /mcp, in their fixed order (docs/assistants.md#what-it-can-do). Any other tool belongs to
 * /mcp/extended.
 */
export const TOOLS: readonly Tool[] = [
  AUTH_STATUS,
  BOT_LIST,
  BOT_GET,
  ...BOT_CHANGES,
  ...LOG_TOOLS,
  ...STATE_TOOLS,
  BOT_QUERY,
  ...CATALOG_TOOLS,
];
