import type { KeyScope } from '../contract/account.ts';

/** Tools that `/mcp` offers to a key, by its scope: those that it may not use do not exist for it. */
export const TOOL_COUNTS: Readonly<Record<KeyScope, number>> = { read: 11, deploy: 14, full: 14 };
