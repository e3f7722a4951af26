import type { Command } from '../command.ts';
import { typed } from '../copyable-command.ts';
import { installedFile, planHere, runCall } from '../service/apply-service-plan.ts';

export const command: Command = {
  positionals: [],
  options: { system: { type: 'boolean', help: 'The service of the system instead of that of your account' } },
  description: 'Says whether the system keeps the host running, and whether that service runs now.',
  examples: ['platform service status'],
  async run(context, args) {
    const { out, name } = context;
    const plan = planHere(context, args.flag('system'), []);
    const installed = (await installedFile(plan)) !== null;
    const running = installed && (await runCall(plan.status)).code === 0;
    out.data({ installed, running, manager: plan.manager, file: plan.file.path });
    if (!installed) {
      out.line(`No service is installed. Install one with: ${typed(name, 'service install')}`);
      return 0;
    }
    out.line(running ? `The service runs: ${plan.manager}.` : `The service does not run: ${plan.manager}.`);
    out.line(`  ${plan.file.path}`);
    return 0;
  },
};
