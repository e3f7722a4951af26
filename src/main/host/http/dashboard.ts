import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import type { Logger } from '../../../node/logger.ts';
import { systemErrorCode } from '../../../node/system-error.ts';
import { parseHost } from '../../../shared/host-header.ts';
import { VIEW_CAGE_PATH } from '../../../shared/view-markup.ts';
import type { ExtraHandler } from './handler.ts';
import { SAFE_HEADERS } from './respond.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.json': 'application/json',
};

/** Places of the dashboard; their addresses stand in answers, so that they lead there from anywhere. */
const PLACE = /^\/(?:$|(?:bots|waiting|portfolio|custom-bots|deploy|connect|editor|settings)(?:\/|$))/;

/** Addresses of programs, which expect a JSON 404. */
const FOR_PROGRAMS = /^\/(?:api|bot|mcp|assets|\.well-known)(?:\/|$)/;

/**
 * Nothing but this host: no other origin, no inline script but the page's own, no plugin, no frame around it. Styles of
 * elements are set by scripts (positions of charts and lists), which this does not touch. `frame-src` follows, see below.
 */
function policyFor(page: string): string {
  // Browsers normalise line ends before they hash a script; a checkout on Windows has other line ends.
  const read = page.replaceAll(/\r\n?/g, '\n');
  const inline = [...read.matchAll(/<script>(.*?)<\/script>/gs)].map(
    ([, script = '']) => ` 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    `script-src 'self'${inline.join('')}`,
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * What a frame of the page may show, and go to by itself: the cage of a view, under the name by which the browser knows this
 * host. A policy cannot name an IPv6 address, so that there any address of this host has to do.
 */
function frameSource(host: string | undefined): string {
  const isNameable = /^[a-z0-9.-]+$/.test(parseHost(host ?? '')?.name ?? '');
  return `frame-src ${isNameable ? `${host}${VIEW_CAGE_PATH}` : "'self'"}`;
}

function filesOf(dir: string): ReadonlyMap<string, string> {
  try {
    const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return new Map(
      files.map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return [`/${relative(dir, path).split(sep).join('/')}`, path];
      }),
    );
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return new Map();
    throw error;
  }
}

const NOT_BUILT =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Bot Platform</title><p>The host is running; its dashboard is not built. Run <code>npm run build</code> and start the host again.</p></html>';

/** The built files. If they cannot be read the host runs without a dashboard: bots come first. */
function readBuilt(
  dir: string,
  logger: Logger,
): { readonly files: ReadonlyMap<string, string>; readonly page: Buffer } {
  try {
    const files = filesOf(dir);
    const index = files.get('/index.html');
    return { files, page: index === undefined ? Buffer.from(NOT_BUILT) : readFileSync(index) };
  } catch (error) {
    logger.error('the dashboard cannot be read', { dir, error });
    return { files: new Map(), page: Buffer.from(NOT_BUILT) };
  }
}

function send(
  response: ServerResponse,
  status: 200 | 404,
  body: Buffer,
  headers: Record<string, string>,
  isHead: boolean,
): void {
  response.writeHead(status, { ...SAFE_HEADERS, ...headers, 'content-length': body.length });
  response.end(isHead ? undefined : body);
}

/**
 * Serves the built dashboard of a folder: only files that were there at the start, whatever a path says. The pages show
 * no user's data before a log-in, so they need none.
 */
export function createDashboard(dir: string, logger: Logger): ExtraHandler {
  const { files, page } = readBuilt(dir, logger);
  const read = new Map<string, Buffer>();
  const contentOf = (path: string): Buffer => {
    const known = read.get(path) ?? readFileSync(path);
    read.set(path, known);
    return known;
  };
  const policy = policyFor(page.toString());
  return (request, response, { pathname }) => {
    const isHead = request.method === 'HEAD';
    if (request.method !== 'GET' && !isHead) return false;
    const isPlace = PLACE.test(pathname);
    // A person with a mistyped address gets the dashboard's own page about it.
    const isLost = !isPlace && request.headers.accept?.includes('text/html') === true && !FOR_PROGRAMS.test(pathname);
    if (isPlace || isLost) {
      const type = TYPES['.html'] ?? '';
      const headers = {
        'content-type': type,
        'content-security-policy': `${policy}; ${frameSource(request.headers.host)}`,
        'cache-control': 'no-cache',
        // What a view reads must not leave by a page that has opened this one.
        'cross-origin-opener-policy': 'same-origin',
      };
      send(response, isPlace ? 200 : 404, page, headers, isHead);
      return true;
    }
    const file = pathname.startsWith('/assets/') ? files.get(pathname) : undefined;
    if (file === undefined) return false;
    // Their names carry a hash of their content.
    const cached = { 'cache-control': 'public, max-age=31536000, immutable' };
    send(
      response,
      200,
      contentOf(file),
      { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream', ...cached },
      isHead,
    );
    return true;
  };
}
