import { checkMachine } from '../checks.ts';
import type { Command } from '../command.ts';
import { typedHint } from '../command-name.ts';
import { EXIT } from '../exit-codes.ts';
import { paint } from '../text.ts';

const SIGNS = { ok: ['✓', 'green'], spare: ['–', 'dim'], note: ['!', 'yellow'], fault: ['✗', 'red'] } as const;

export const command: Command = {
  positionals: [],
  options: {},
  description: 'Checks what a host and bots need on this machine, and says what to do about what is missing.',
  examples: ['platform doctor'],
  async run(context) {
    const { out, name: called } = context;
    const checks = await checkMachine(context);
    out.data({ checks });
    for (const { level, name, message, hint } of checks) {
      const [sign, style] = SIGNS[level];
      out.line(`${paint(out.colours, style, sign)} ${name.padEnd(14)} ${message}`);
      if (hint !== null) out.line(paint(out.colours, 'dim', `                 ${typedHint(called, hint)}`));
    }
    return checks.some(({ level }) => level === 'fault') ? EXIT.internal : EXIT.ok;
  },
};
