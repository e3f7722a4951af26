import { typed } from '../../../shared/npx-command.ts';
import type { Question } from './query-form.ts';

const quoted = (text: string): string => (/^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
const has = (params: object): boolean => Object.keys(params).length > 0;

/** The same question on the command line. */
export function asCli(botId: string, { path, params, timeoutSec }: Question): string {
  const given = has(params) ? ` --params ${quoted(JSON.stringify(params))}` : '';
  const timeout = timeoutSec === null ? '' : ` --timeout ${timeoutSec}`;
  return typed(`bot query ${botId} ${quoted(path)}${given}${timeout}`);
}

/** The same question over HTTP. */
export function asCurl(origin: string, botId: string, { path, params, timeoutSec }: Question): string {
  const body = {
    path,
    ...(has(params) ? { params } : {}),
    ...(timeoutSec === null ? {} : { timeout_sec: timeoutSec }),
  };
  return [
    `curl -X POST ${origin}/bot/${botId}/query`,
    `-H "Authorization: Bearer $KEY" -H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n  ');
}

/** The same question as the call of a tool by an assistant. */
export function asMcp(botId: string, { path, params, timeoutSec }: Question): string {
  const input = {
    bot_id: botId,
    query_path: path,
    ...(has(params) ? { params } : {}),
    ...(timeoutSec === null ? {} : { timeout_sec: timeoutSec }),
  };
  return JSON.stringify({ method: 'tools/call', params: { name: 'bot_query', arguments: input } }, null, 2);
}
