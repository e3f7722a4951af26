import { z } from 'zod';
import { READS, type Tool, tool } from '../tool.ts';

/** Tells whether the key works, whose it is and what it may do. */
export const AUTH_STATUS: Tool = tool({
  name: 'auth_status',
  title: 'Check the API key',
  audit: ['checked', 'check', 'the key'],
  description:
    'Check that the API key works and the host is reachable, and tell what the key may do. Use it first when another call fails with an authentication problem.',
  input: z.strictObject({}),
  hints: READS,
  needs: 'auth.status',
  async run(_, caller) {
    const status = await caller.call('auth.status', {});
    const host = await caller.call('host.get', {});
    return {
      data: {
        authenticated: true,
        user: status.user.name,
        scope: status.scope,
        only_bots: status.bots,
        key: status.key?.name ?? null,
        bots: Object.values(host.bots).reduce((sum, count) => sum + count, 0),
        host: { version: host.version, url: host.url },
      },
    };
  },
});
