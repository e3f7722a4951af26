import { PlatformError } from '../../contract/errors.ts';
import type { Command } from '../command.ts';
import { callText, installedFile, planHere, removeServiceFile, runCall } from '../service/apply-service-plan.ts';

export const command: Command = {
  positionals: [],
  options: {
    system: { type: 'boolean', help: 'The service of the system instead of that of your account' },
    yes: { type: 'boolean', short: 'y', help: 'Do not ask' },
  },
  description: 'Stops the service and removes it. The host and its bots stop; the data folder stays as it is.',
  examples: ['platform service remove'],
  async run(context, args) {
    const { out, confirm } = context;
    const plan = planHere(context, args.flag('system'), []);
    if ((await installedFile(plan)) === null) {
      out.data({ removed: false });
      out.line('No service is installed: nothing to remove.');
      return 0;
    }
    if (!args.flag('yes') && !(await confirm('Remove the service, and stop the host and its bots?'))) {
      throw new PlatformError('INVALID_REQUEST', 'Nothing was removed', {
        hint: 'Confirm with y, or pass -y in a script.',
      });
    }
    const notes: string[] = [];
    for (const call of plan.remove) {
      const { code, text } = await runCall(call);
      if (code !== 0) notes.push(`\`${callText(call)}\` did not work: ${text}`);
    }
    await removeServiceFile(plan);
    for (const call of plan.forget) await runCall(call);
    out.data({ removed: true, file: plan.file.path, notes });
    out.line(`Removed ${plan.file.path}. The data folder is as it was.`);
    for (const note of [...notes, ...(plan.stays === null ? [] : [plan.stays])]) out.note(`  ${note}`);
    return 0;
  },
};
