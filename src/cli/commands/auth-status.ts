import type { Command } from '../command.ts';

const METHODS = { api_key: 'an API key', session: 'a session', local: 'the data folder of this host' } as const;

export const command: Command = {
  positionals: [],
  options: {},
  description: 'Checks the log-in and tells whose it is.',
  examples: ['platform auth status'],
  async run({ client, out }) {
    const host = await client();
    const status = await host.call('auth.status', {});
    out.data({ ...status, url: host.url });
    const key = status.key === null ? '' : ` "${status.key.name}"`;
    out.line(
      `${host.url}: ${status.user.name} (${status.user.role}), by ${METHODS[status.method]}${key}, scope ${status.scope}.`,
    );
    return 0;
  },
};
