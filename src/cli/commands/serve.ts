import type { Command } from '../command.ts';
import { HOST_OPTIONS, serveInForeground } from '../serve-host.ts';

export const command: Command = {
  positionals: [],
  options: HOST_OPTIONS,
  description: 'Runs a host in the foreground until Ctrl-C. Its bots are ended with it, unless --leave-bots is given.',
  examples: ['platform serve', 'platform serve --data ./data --port 4747'],
  run: (context, args) => serveInForeground(context, args),
};
