import type { FuzzTarget } from './target.ts';
import { http } from './targets/http.ts';
import { mcp } from './targets/mcp.ts';

/** Surfaces of a real host; they need a build. */
export const HOST_TARGETS: readonly FuzzTarget[] = [http, mcp];
