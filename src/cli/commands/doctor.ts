import type { Check } from '../check-result.ts';
import type { Command, Context } from '../command.ts';
import type { Applied } from '../doctor/doctor.ts';
import { countOf, exitCodeOfChecks, showChecks, toldChecks } from '../show-checks.ts';
import { paint, printable } from '../terminal-text.ts';

function verdict(checks: readonly Check[]): string {
  const [faults, notes] = [countOf(checks, 'fault'), countOf(checks, 'note')];
  if (faults + notes === 0) return 'Nothing is wrong.';
  const fixable = checks.filter(({ fix }) => fix !== null).length;
  return `${faults} to fix, ${notes} to look at.${fixable > 0 ? ` --fix repairs ${fixable} of them.` : ''}`;
}

/** Says what will be done, and does it. */
async function mend({ out }: Context, checks: readonly Check[]): Promise<Applied[]> {
  const planned = checks.flatMap((check) => (check.fix === null ? [] : [check.fix.what]));
  if (planned.length === 0) return [];
  out.line('This is done now:');
  for (const what of planned) out.line(`  - ${printable(what)}`);
  const { applyFixes } = await import('../doctor/doctor.ts');
  const applied = await applyFixes(checks);
  for (const { what, error } of applied) {
    if (error !== null) out.note(`${paint(out.colours, 'red', 'not done:')} ${printable(what)}: ${printable(error)}`);
  }
  out.line();
  return applied;
}

export const command: Command = {
  positionals: [],
  options: {
    fix: { type: 'boolean', help: 'Fix what can be fixed without loss: file modes, left-over files, folders' },
  },
  description:
    'Checks what a host and bots need on this machine, and says why it matters and what to do. Ends with 0 when nothing is wrong, 8 when something needs a look, 9 when something must be fixed.',
  examples: ['platform doctor', 'platform doctor --fix', 'platform doctor --json'],
  async run(context, args) {
    const { examine } = await import('../doctor/doctor.ts');
    const first = await examine(context);
    const fixes = args.flag('fix') ? await mend(context, first) : [];
    const checks = fixes.length === 0 ? first : await examine(context);
    showChecks(context, checks);
    context.out.line();
    context.out.line(verdict(checks));
    context.out.data({ ...toldChecks(checks), fixes });
    return exitCodeOfChecks(checks);
  },
};
