import { request } from 'node:http';
import { events, modern } from './mcp.ts';
import type { TestHost } from './platform.ts';

/** An open subscription of the 2026 revision, as it comes over the wire. */
export interface Listener {
  /** All that came so far. */
  text(): string;
  /** The notifications after the one that confirms the subscription. */
  changes(): Record<string, unknown>[];
  /** True once the host has ended it. */
  ended(): boolean;
  close(): void;
}

/** Opens a subscription; resolves once the host has confirmed it. */
export function listen(host: TestHost, key: string, notifications: object): Promise<Listener> {
  const { body, headers } = modern('subscriptions/listen', { notifications });
  return new Promise((resolve, reject) => {
    const sent = request(`${host.url}/mcp`, { method: 'POST', headers: { ...headers, 'x-api-key': key } }, (answer) => {
      let heard = '';
      let ended = false;
      const listener: Listener = {
        text: () => heard,
        changes: () => events(heard).slice(1),
        ended: () => ended,
        close: () => sent.destroy(),
      };
      answer.on('data', (chunk) => {
        heard += String(chunk);
        if (events(heard).length > 0) resolve(listener);
      });
      answer.once('end', () => {
        ended = true;
        reject(new Error(`${answer.statusCode} ${heard}`));
      });
      answer.once('error', reject);
    });
    sent.once('error', reject);
    sent.end(JSON.stringify(body));
  });
}
