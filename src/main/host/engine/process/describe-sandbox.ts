import type { EngineInfo } from '../../../../contract/host.ts';
import { type SandboxTrial, sandboxLevel, sandboxProblem } from '../../../../contract/sandbox-trial.ts';
import type { EngineTraits } from '../engine.ts';

type Aspect = EngineInfo['isolation'][number];

/** Name of the engine that runs local processes in the sandbox of the operating system. */
export const SANDBOX_ENGINE = 'sandbox';

export const SANDBOX_TRAITS: EngineTraits = {
  title: 'Sandboxed processes',
  about:
    'Each bot as a program of this machine that the operating system keeps from your files, from other programs and from their local sockets. It reaches the network through the gate alone.',
  summary:
    'A process of this machine, kept from your files and other programs; it reaches the network through the gate alone',
  remedy: null,
  options: ['network'],
  images: false,
};

/** Describes what a sandboxed program is kept from here, beside the aspects that all local processes share. */
export function describeSandbox(plain: EngineInfo, trial: SandboxTrial): EngineInfo {
  const reason = plain.reason ?? sandboxProblem(trial);
  const own = (aspect: string, problem: string | null, note: string): Aspect =>
    problem === null
      ? { aspect, level: 'full', note }
      : { aspect, level: 'none', note: `Not on this machine: ${problem}.` };
  const aspects: readonly Aspect[] = [
    own(
      'files',
      trial.files,
      'A bot reads its code, its interpreter, the libraries and general settings of the system, and writes its state and temporary files. It sees size and time of other files by name, not their content.',
    ),
    trial.network === null
      ? {
          aspect: 'network',
          level: 'full',
          note: 'A bot reaches the gate alone, which lets pass what its network mode says. UDP and listening beside its query port are closed. With options.network "none" it reaches only its query port.',
        }
      : {
          aspect: 'network',
          level: 'partial',
          note: `Not limited on this machine: a bot reaches the internet and local ports (${trial.network}).`,
        },
    own(
      'local sockets',
      trial.sockets,
      'A bot reaches no socket of other programs, such as those of container services, of ssh-agent and of the desktop.',
    ),
    own(
      'other programs',
      trial.programs,
      'A bot cannot signal, inspect or slow down programs that it has not started.',
    ),
    own('rights', trial.limits, 'A bot gains no rights: no set-user-ID program and no namespace gives it any.'),
  ];
  const replaced = new Set(aspects.map(({ aspect }) => aspect));
  return {
    ...plain,
    name: SANDBOX_ENGINE,
    ...SANDBOX_TRAITS,
    level: sandboxLevel(trial),
    available: reason === null,
    reason: reason === null ? null : (plain.reason ?? `The sandbox does not hold on this machine: ${reason}`),
    isolation: [...plain.isolation.filter(({ aspect }) => !replaced.has(aspect)), ...aspects],
  };
}
