import { FORBIDDEN_ELEMENTS, FORBIDDEN_MARKUP, VIEW_CAGE_PATH } from '../../../shared/view-markup.ts';
import type { ExtraHandler } from './handler.ts';
import { SAFE_HEADERS } from './respond.ts';

/**
 * The cage has no origin, also when somebody opens its address alone. It loads and reaches nothing, has no frame in it and
 * stands in a page of this host only. What a view writes as text later passes the one policy of texts that the cage makes.
 */
const POLICY = [
  'sandbox allow-scripts',
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  "require-trusted-types-for 'script'",
  'trusted-types default',
].join('; ');

/** Powers of a browser that a document without an origin would mostly not get anyway. */
const POWERS = [
  'accelerometer',
  'autoplay',
  'camera',
  'clipboard-read',
  'clipboard-write',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'gamepad',
  'geolocation',
  'gyroscope',
  'identity-credentials-get',
  'idle-detection',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'storage-access',
  'sync-xhr',
  'usb',
  'web-share',
  'xr-spatial-tracking',
] as const;

const HEADERS = {
  ...SAFE_HEADERS,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'permissions-policy': POWERS.map((power) => `${power}=()`).join(', '),
  // Where it is known (Chromium from 152 on), nothing is connected to, not even ahead of a navigation that is then refused.
  'connection-allowlist': '()',
  'x-frame-options': 'SAMEORIGIN',
  // A browser would look up the names in links before anybody follows them.
  'x-dns-prefetch-control': 'off',
} as const;

const documentWith = (script: string): Buffer =>
  Buffer.from(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>View of a bot</title>
<p>Here Bot Platform shows the views of bots. Open the page of a bot in the dashboard to see its view.</p>
<script data-elements="${FORBIDDEN_ELEMENTS.join('|')}" data-markup="${FORBIDDEN_MARKUP.source}">
${script}</script>
</html>
`);

/**
 * Serves the cage: the document in which the dashboard shows a view (docs/views.md#the-cage). It holds nothing of a bot, so
 * that it needs no log-in; the page that shows it sends it the view. `script` is resources/view/cage.js.
 */
export function createViewCage(script: string): ExtraHandler {
  const body = documentWith(script);
  const headers = { ...HEADERS, 'content-length': body.length };
  return (request, response, { pathname }) => {
    const isHead = request.method === 'HEAD';
    if (pathname !== VIEW_CAGE_PATH || (request.method !== 'GET' && !isHead)) return false;
    response.writeHead(200, headers);
    response.end(isHead ? undefined : body);
    return true;
  };
}
