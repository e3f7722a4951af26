import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

const HANDED_ON = '@bot-platform/sdk query token';

/** The token of this run, or ''. It leaves the environment, which programs of the bot inherit; threads of the bot still get it. */
function takeToken() {
  const given = process.env.QUERY_TOKEN ?? '';
  delete process.env.QUERY_TOKEN;
  if (given !== '') setEnvironmentData(HANDED_ON, given);
  return given || (getEnvironmentData(HANDED_ON) ?? '');
}

const token = takeToken();

const digest = (text) => createHash('sha256').update(text).digest();

/** True for an IP address or `localhost`, with or without a port: a page on another site cannot have such a name. */
function isOwnHost(text) {
  const [, ipv6, name] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::\d{1,5})?$/.exec(text) ?? [];
  return ipv6 === undefined ? isIP(name ?? '') === 4 || name?.toLowerCase() === 'localhost' : isIP(ipv6) === 6;
}

/** Why a request is not answered, as `{ code, error }`; null for one that may ask. Reads only the headers. */
export function refusal({ headers, headersDistinct }) {
  if (headers.origin !== undefined)
    return { code: 403, error: 'Web pages may not query a bot: the request has an Origin' };
  const { host = [], 'x-query-token': given = [] } = headersDistinct;
  if (host.length !== 1 || !isOwnHost(host[0])) {
    return { code: 403, error: 'Query a bot by IP address or localhost: the request has another Host' };
  }
  if (token === '' || (given.length === 1 && timingSafeEqual(digest(given[0]), digest(token)))) return null;
  return { code: 401, error: 'This bot answers its host only: X-Query-Token is missing or wrong' };
}
