import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NewSession } from '../../../contract/account.ts';
import { PlatformError } from '../../../contract/errors.ts';
import type { QueryAnswer } from '../../../contract/query.ts';
import type { Auth } from '../auth/auth.ts';
import { oldCookieOf } from '../auth/request-credential.ts';
import { type BotList, botListBytes } from './bot-list.ts';
import { type GuardOptions, isSameOrigin } from './check-origin.ts';
import { sendJson, sendJsonText } from './respond.ts';
import type { Route } from './routes.ts';
import { browserCookie, clearedCookie, sessionCookie } from './session-and-browser-cookies.ts';

interface ResultSenderOptions {
  readonly auth: Auth;
  readonly guard: GuardOptions;
  readonly now: () => number;
}

/** Sends the result of an operation in the form that its row gives: as JSON, as the answer of a bot, with cookies. */
export type ResultSender = (
  request: IncomingMessage,
  response: ServerResponse,
  route: Route,
  result: unknown,
  requestId: string,
) => void;

/** Builds a ResultSender. */
export function createResultSender({ auth, guard, now }: ResultSenderOptions): ResultSender {
  /** Ends the session of an earlier version's cookie; false if there is none of this host. */
  const endOldSession = ({ headers }: IncomingMessage): boolean => {
    const token = oldCookieOf(headers);
    if (token === null) return false;
    try {
      auth.logout(auth.authenticate(token));
      return true;
    } catch (error) {
      if (error instanceof PlatformError) return false;
      throw error;
    }
  };

  return (request, response, route, result, requestId) => {
    const form = route.operation.answer;
    const headers: Record<string, string> = { 'x-request-id': requestId };
    const place = { host: request.headers.host, secure: guard.secure };
    if (form === 'bot') {
      const answer = result as QueryAnswer;
      headers['x-query-duration-ms'] = answer.duration_ms.toFixed(1);
      if (answer.warm === true) headers['x-query-warm'] = 'true';
      sendJson(response, 200, answer.result, headers);
      return;
    }
    if (form === 'log_in') {
      const { token, ...rest } = result as NewSession;
      response.setHeader('set-cookie', [
        sessionCookie(token, Math.floor((Date.parse(rest.expires_at) - now()) / 1000), place),
        browserCookie(auth.browserToken(rest.user.user_id), place),
      ]);
      // Our page has the cookie. A token in the body would be within reach of an injected script.
      if (isSameOrigin(request)) {
        sendJson(response, route.operation.status, rest, headers);
        return;
      }
    }
    if (form === 'bot_list') {
      sendJsonText(response, 200, botListBytes(result as BotList), headers);
      return;
    }
    if (form === 'log_out') {
      const hosts = endOldSession(request) ? [place.host, undefined] : [place.host];
      response.setHeader(
        'set-cookie',
        hosts.map((host) => clearedCookie({ ...place, host })),
      );
    }
    sendJson(response, route.operation.status, result, headers);
  };
}
