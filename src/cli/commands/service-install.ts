import { PlatformError } from '../../contract/errors.ts';
import type { Command, Context } from '../command.ts';
import { typed } from '../copyable-command.ts';
import { runningHost } from '../discovery.ts';
import {
  callText,
  installedFile,
  planHere,
  removeServiceFile,
  runCall,
  writeServiceFile,
} from '../service/apply-service-plan.ts';
import type { ProgramCall, ServicePlan } from '../service/service-plan.ts';

/** Exit code of useradd for an account that exists. */
const ACCOUNT_EXISTS = 9;

async function mustWork(call: ProgramCall, allowed: readonly number[] = [0]): Promise<void> {
  const { code, text } = await runCall(call);
  if (code !== null && allowed.includes(code)) return;
  const end = code === null ? 'could not be run' : `ended with ${code}`;
  throw new PlatformError('HOST_UNREACHABLE', `\`${callText(call)}\` ${end}: ${text}`, {
    hint: 'The service was not installed, and its file was removed again. `platform service install --print` shows all steps.',
  });
}

/** Throws where a host runs on the folder that is not the service's, or where the service is that of another folder. */
async function checkFree({ dataDir, name }: Context, plan: ServicePlan, before: string | null): Promise<void> {
  if (before !== null && before !== plan.file.text && !before.includes(dataDir)) {
    throw new PlatformError('INVALID_REQUEST', `${plan.file.path} runs the host of another data folder`, {
      hint: `Remove it first: ${typed(name, 'service remove')}`,
    });
  }
  const isOwn = before !== null && (await runCall(plan.status)).code === 0;
  const host = isOwn ? null : await runningHost(dataDir);
  if (host === null) return;
  throw new PlatformError('HOST_RUNNING', `A host runs on ${dataDir} already (process ${host.pid})`, {
    hint: `Stop it first; with this its bots go on: ${typed(name, 'stop', '--leave-bots')}`,
  });
}

async function install(plan: ServicePlan, before: string | null): Promise<string[]> {
  for (const call of plan.prepare) await mustWork(call, [0, ACCOUNT_EXISTS]);
  if (before !== null) for (const call of plan.remove) await runCall(call);
  await writeServiceFile(plan);
  try {
    for (const call of plan.install) await mustWork(call);
  } catch (error) {
    for (const call of plan.remove) await runCall(call);
    await removeServiceFile(plan);
    for (const call of plan.forget) await runCall(call);
    throw error;
  }
  if (plan.extra === null) return [];
  const { code, text } = await runCall(plan.extra.call);
  if (code === 0) return [];
  return [`\`${callText(plan.extra.call)}\` did not work (${text}): ${plan.extra.otherwise}.`];
}

function show({ out }: Context, plan: ServicePlan): void {
  const extra = plan.extra === null ? [] : [plan.extra.call];
  const calls = [...plan.install, ...extra].map(callText);
  out.data({ manager: plan.manager, file: plan.file, prepare: plan.prepare.map(callText), install: calls });
  for (const call of plan.prepare) out.line(`Run   ${callText(call)}`);
  out.line(`Write ${plan.file.path}:`);
  for (const line of plan.file.text.trimEnd().split('\n')) out.line(`  ${line}`);
  for (const call of calls) out.line(`Run   ${call}`);
}

export const command: Command = {
  positionals: [],
  options: {
    system: { type: 'boolean', help: 'Linux: under an account of its own, which your programs cannot reach (as root)' },
    port: { type: 'string', value: 'N', help: 'Port of the host; a taken one is an error then' },
    'keep-awake': { type: 'boolean', help: 'The machine does not go to sleep while the host runs' },
    print: { type: 'boolean', help: 'Show what would be written and run, and change nothing' },
  },
  description:
    'Has the system start the host and keep it running: systemd, launchd or the Windows Task Scheduler. Says what it did and how to undo it.',
  examples: ['platform service install', 'platform service install --print', 'sudo platform service install --system'],
  async run(context, args) {
    const { out, name, dataDir } = context;
    const system = args.flag('system');
    const port = args.integer('port', 1, 65_535);
    const flags = [
      ...(port === undefined ? [] : ['--port', String(port)]),
      ...(args.flag('keep-awake') ? ['--keep-awake'] : []),
    ];
    const plan = planHere(context, system, flags);
    if (args.flag('print')) {
      show(context, plan);
      return 0;
    }
    if (system && process.getuid?.() !== 0) {
      throw new PlatformError('FORBIDDEN', 'Only root can install a service of the system', {
        hint: 'Run it with sudo, or leave out --system: the service then belongs to your account.',
      });
    }
    const before = await installedFile(plan);
    await checkFree(context, plan, before);
    const notes = await install(plan, before);
    out.data({ installed: true, manager: plan.manager, file: plan.file.path, notes });
    out.line(`The host runs as a service: ${plan.manager}.`);
    out.line(`  It starts ${notes.length === 0 ? plan.starts : 'when you log in'}, and again when it fails.`);
    out.line(`  ${before === null ? 'Written' : 'Replaced'}: ${plan.file.path}`);
    out.line(`  Data: ${system ? '/var/lib/bot-platform' : dataDir}`);
    for (const note of notes) out.note(`  ${note}`);
    out.line(`Undo it with: ${typed(name, 'service remove', ...(system ? ['--system'] : []))}`);
    return 0;
  },
};
