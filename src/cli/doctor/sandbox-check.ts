import type { Inspection } from '../../contract/doctor-inspection.ts';
import { isBelow } from '../../contract/isolation.ts';
import { SANDBOX_ASPECTS, sandboxLevel, sandboxProblem } from '../../contract/sandbox-trial.ts';
import { type Check, subject } from '../check-result.ts';

const sandbox = subject(
  'sandbox',
  'Sandbox',
  'It keeps a bot that runs as a local process from your files and programs where its options ask for it.',
);

/** What the sandbox of this system held when it was tried, aspect by aspect; nothing on a system that has none. */
export function checkSandbox({ sandbox: trial, control: known }: Inspection): Check[] {
  if (trial === null) return [];
  const words = SANDBOX_ASPECTS.map(
    (aspect) => `${aspect} ${trial[aspect] === null ? 'held' : `open (${trial[aspect]})`}`,
  );
  const problem = sandboxProblem(trial);
  const level = sandboxLevel(trial);
  const reach = level === 'sandbox' ? 'bots reach the network through the gate alone' : 'their network is not limited';
  const text = `tried here: ${words.join(', ')}; ${problem === null ? `level ${level}: ${reach}` : 'no bot starts in it'}`;
  const least = known?.isolation?.least ?? 'none';
  if (problem === null && (least === 'container' || !isBelow(level, least))) return [sandbox.ok(text)];
  if (least === 'none' || !isBelow(least, 'container')) return [sandbox.spare(text)];
  return [
    sandbox.fault(
      `${text}; this host demands it: its bots wait`,
      'Run the host on Linux 5.13 or later with Landlock, outside of a container that forbids seccomp listeners, or choose another engine: `platform start --engine auto`.',
    ),
  ];
}
