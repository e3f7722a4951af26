import { shortRun } from './short-run.ts';
import { http } from './targets/http.ts';
import { mcp } from './targets/mcp.ts';

shortRun(http, 200);
shortRun(mcp, 200);
