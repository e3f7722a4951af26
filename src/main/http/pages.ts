import { createHash } from 'node:crypto';
import type { ExtraHandler } from './handler.ts';
import { SAFE_HEADERS } from './respond.ts';

const STYLE = `
:root { color-scheme: light dark; --fg: #1d2127; --dim: #5b6470; --bg: #fbfbfc; --line: #dfe3e8; --ok: #1a7f4b; --accent: #2f5fd0; }
@media (prefers-color-scheme: dark) { :root { --fg: #e8ebef; --dim: #98a2ae; --bg: #14171b; --line: #2b3138; --ok: #4cc38a; --accent: #8aacf7; } }
body { margin: 0; font: 15px/1.55 system-ui, sans-serif; color: var(--fg); background: var(--bg); }
main { max-width: 40rem; margin: 12vh auto 0; padding: 0 1.5rem 3rem; }
h1 { font-size: 1.35rem; margin: 0 0 .25rem; } p { margin: 0 0 1.5rem; color: var(--dim); }
.up { color: var(--ok); font-weight: 600; }
dl { display: grid; grid-template-columns: 11rem 1fr; gap: .6rem 1rem; border-top: 1px solid var(--line); padding-top: 1.25rem; margin: 0; }
dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; }
code { font: 13px/1.5 ui-monospace, monospace; } a { color: var(--accent); }
@media (max-width: 32rem) { dl { grid-template-columns: 1fr; gap: .15rem; } dd { margin-bottom: .8rem; } }
`;

const PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Bot Platform host</title><style>${STYLE}</style></head><body><main>
<h1>Bot Platform</h1><p><span class="up">The host is running.</span> Bots are driven from the command line and the API.</p>
<dl>
<dt>List bots</dt><dd><code>npx platform bot list</code></dd>
<dt>Follow a bot</dt><dd><code>npx platform bot logs &lt;bot&gt; -w</code></dd>
<dt>Start a project</dt><dd><code>npx platform init my-bot</code></dd>
<dt>API description</dt><dd><a href="/api/v1/openapi.json">/api/v1/openapi.json</a></dd>
<dt>Health</dt><dd><a href="/healthz">/healthz</a></dd>
</dl></main></body></html>
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The host's own page at `/`: says that it runs and how to go on. Shows nothing of any user, so it needs no log-in. */
export const homePage: ExtraHandler = (request, response, url) => {
  if (url.pathname !== '/' || (request.method !== 'GET' && request.method !== 'HEAD')) return false;
  response.writeHead(200, {
    ...SAFE_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(PAGE),
    'content-security-policy': POLICY,
  });
  response.end(request.method === 'HEAD' ? undefined : PAGE);
  return true;
};
