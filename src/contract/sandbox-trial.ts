import { z } from 'zod';
import type { IsolationLevel } from './isolation.ts';

/** What the sandbox of the process engine must hold a program to. */
export const SANDBOX_ASPECTS = ['files', 'network', 'sockets', 'programs', 'limits'] as const;

const Broken = z.string().nullable();

/**
 * What the sandbox held when it was tried on this machine, by aspect: null, or what a program inside could do. `network`
 * is that of a program which gets none, and of one which is to reach the gate alone.
 */
export const SandboxTrial = z.object({
  files: Broken,
  network: Broken,
  sockets: Broken,
  programs: Broken,
  limits: Broken,
});
export type SandboxTrial = z.infer<typeof SandboxTrial>;

/** The level of isolation that the sandbox reaches: `sandbox` where everything held. */
export function sandboxLevel(trial: SandboxTrial): Extract<IsolationLevel, 'partial' | 'sandbox'> {
  return SANDBOX_ASPECTS.every((aspect) => trial[aspect] === null) ? 'sandbox' : 'partial';
}

/** The aspects without which no bot is started in the sandbox. Where its network does not hold, it has that of the machine. */
export const NEEDED_ASPECTS = ['files', 'sockets', 'programs', 'limits'] as const;

/** Why no bot is started in the sandbox, from what was tried; null when one can be. */
export function sandboxProblem(trial: SandboxTrial): string | null {
  const broken = NEEDED_ASPECTS.filter((aspect) => trial[aspect] !== null);
  const [first] = broken;
  if (first === undefined) return null;
  const reasons = new Set(broken.map((aspect) => trial[aspect]));
  return reasons.size === 1 && broken.length > 1
    ? `${trial[first]}`
    : broken.map((aspect) => `${aspect}: ${trial[aspect]}`).join('; ');
}
