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

/** A line of the page: what somebody may want, and the command or address for it. */
type Row = readonly [string, string];

const command = (text: string): string => `<code>npx platform ${text}</code>`;
const link = (address: string): string => `<a href="${address}">${address}</a>`;
const HOST_ROWS: readonly Row[] = [
  ['API description', link('/api/v1/openapi.json')],
  ['Health', link('/healthz')],
];

function page(rows: readonly Row[]): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Bot Platform</title><style>${STYLE}</style></head><body><main>
<h1>Bot Platform</h1><p><span class="up">The host is running.</span> Bots are driven from the command line and the API.</p>
<dl>
${rows.map(([what, how]) => `<dt>${what}</dt><dd>${how}</dd>`).join('\n')}
</dl></main></body></html>
`;
}

/** The page at an address; null where there is none. Addresses of bots stand in every answer about a bot. */
function pageAt(pathname: string): string | null {
  if (pathname === '/') {
    const rows: Row[] = [
      ['List bots', command('bot list')],
      ['Follow a bot', command('bot logs &lt;bot&gt; -w')],
      ['Start a project', command('init my-bot')],
    ];
    return page([...rows, ...HOST_ROWS]);
  }
  if (pathname === '/connect') return page([['Let a machine in', command('auth approve &lt;code&gt;')], ...HOST_ROWS]);
  const [, botId] = /^\/bots\/(bot_[0-9a-z]{1,60})$/.exec(pathname) ?? [];
  if (botId === undefined) return null;
  const rows: Row[] = [
    ['Show this bot', command(`bot get ${botId}`)],
    ['Follow it', command(`bot logs ${botId} -w`)],
    ['Its metrics', command(`bot metrics ${botId}`)],
    ['Its runs', command(`bot runs ${botId}`)],
  ];
  return page([...rows, ...HOST_ROWS]);
}

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The host's own pages: they say that it runs and how to go on. They show nothing of any user, so they need no log-in. */
export const homePage: ExtraHandler = (request, response, url) => {
  const html = request.method === 'GET' || request.method === 'HEAD' ? pageAt(url.pathname) : null;
  if (html === null) return false;
  response.writeHead(200, {
    ...SAFE_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(html),
    'content-security-policy': POLICY,
  });
  response.end(request.method === 'HEAD' ? undefined : html);
  return true;
};
