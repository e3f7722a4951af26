import type { Command } from '../command.ts';
import { parseJsonOption } from '../json-file.ts';
import { TIMEOUT_RANGE, timeoutOf } from '../query-timeout.ts';

export const command: Command = {
  positionals: ['<bot>', '<path>'],
  options: {
    params: { type: 'string', value: 'JSON', help: 'Parameters as a JSON object' },
    raw: { type: 'boolean', help: "Print the handler's JSON as it came, on one line" },
    timeout: { type: 'string', value: 'SEC', help: `Seconds to wait, ${TIMEOUT_RANGE}` },
  },
  description:
    'Asks a bot. A running realtime bot answers at once; a scheduled or stopped one is started for the answer.',
  examples: [
    'platform bot query "sma live" /status',
    `platform bot query "sma live" /signals --params '{"limit":"5"}' --raw`,
  ],
  async run({ client, out }, args) {
    const [name = '', path = ''] = args.positionals;
    const text = args.text('params');
    const params = text === undefined ? {} : parseJsonOption('params', text);
    const seconds = timeoutOf(args, 'bot query');
    const host = await client();
    const { result, duration_ms } = await host.call('bots.query', {
      bot_id: await host.botId(name),
      path,
      params,
      ...(seconds === undefined ? {} : { timeout_sec: seconds }),
    });
    if (args.flag('raw')) out.raw(`${JSON.stringify(result)}\n`);
    else {
      out.raw(`${JSON.stringify(result, null, 2)}\n`);
      if (!out.json) out.note(`${duration_ms.toFixed(1)} ms`);
    }
    return 0;
  },
};
