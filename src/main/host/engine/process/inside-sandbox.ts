import { join } from 'node:path';
import type { UnitSpec } from '../engine.ts';
import { controlFiles } from '../stop-hook.ts';
import { SANDBOX_MARK } from './environment.ts';
import { WARM_FD } from './launcher.ts';
import type { RunFiles } from './run-files.ts';
import { levelWith, type Sandbox, type SandboxedCommand, type SandboxNetwork } from './sandbox.ts';

/** A program with all of its environment. */
interface PlainCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface Around {
  readonly stateDir: string;
  readonly files: RunFiles;
  readonly runnersDir: string;
  readonly queryPort: number | null;
  readonly warm: boolean;
  readonly network: SandboxNetwork;
}

/** True for a query program that runs beside its bot. */
export function readsReplica({ role, queryRun }: UnitSpec): boolean {
  return role === 'query' && !queryRun;
}

/** A program as it is started in the sandbox: with its code to read, its state to write, and its network. */
export function insideSandbox(
  sandbox: Sandbox,
  spec: UnitSpec,
  { program, args, env }: PlainCommand,
  { stateDir, files, runnersDir, queryPort, warm, network }: Around,
): SandboxedCommand {
  // The host writes the one, the program the other; neither can be replaced from inside.
  const control = spec.controlToken === undefined ? null : controlFiles(files.control);
  const wrapped = sandbox.wrap({
    program,
    args,
    path: env.PATH ?? '',
    // The host goes on writing to the replica of a query program, which therefore must not put links there.
    // The runners load the SDK from the folder beside theirs.
    reads: [
      spec.code.dir,
      runnersDir,
      join(runnersDir, '..', 'sdk'),
      ...(readsReplica(spec) ? [stateDir] : []),
      ...(control === null ? [] : [control.stop]),
    ],
    writes: [
      files.own,
      ...(readsReplica(spec) ? [] : [stateDir]),
      ...(spec.role === 'bot' ? [files.codeView] : []),
      ...(control === null ? [] : [control.hook]),
    ],
    network,
    queryPort,
    keptFd: warm ? WARM_FD : null,
  });
  return { ...wrapped, env: { ...env, ...wrapped.env, [SANDBOX_MARK]: levelWith(network) } };
}
