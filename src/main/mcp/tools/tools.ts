import type { Tool } from '../tool.ts';
import { AUTH_TOOL } from './account.ts';
import { BOT_TOOLS, QUERY_TOOL } from './bots.ts';
import { CATALOG_TOOLS } from './catalog.ts';
import { DATA_TOOLS } from './data.ts';

/** The 14 tools of the seed, in its order (seed, "The 14 tools"). No other may stand at POST /mcp. */
export const TOOLS: readonly Tool[] = [AUTH_TOOL, ...BOT_TOOLS, ...DATA_TOOLS, QUERY_TOOL, ...CATALOG_TOOLS];
