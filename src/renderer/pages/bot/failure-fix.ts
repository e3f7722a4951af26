import type { Bot } from '../../../contract/bot.ts';
import type { FailureFix } from '../../../contract/failure.ts';

/** A link to the place where the cause of a failure is removed. */
export interface FixLink {
  readonly label: string;
  readonly href: string;
}

const OPTIONS: Readonly<Record<Extract<FailureFix, { kind: 'option' }>['option'], string>> = {
  memory_mb: 'Raise the memory',
  max_open_files: 'Raise the open files',
  max_processes: 'Raise the processes',
  timeout_sec: 'Raise the time-out',
};

/** Returns where a person makes the change that a failure points to; null where it points to none. */
export function fixLink(
  { bot_id, type, version }: Pick<Bot, 'bot_id' | 'type' | 'version'>,
  fix: FailureFix | null,
): FixLink | null {
  if (fix === null) return null;
  if (fix.kind === 'config') {
    return { label: `Set ${fix.key}`, href: `/bots/${bot_id}/config?setting=${encodeURIComponent(fix.key)}` };
  }
  if (fix.kind === 'option')
    return { label: OPTIONS[fix.option], href: `/bots/${bot_id}/settings?option=${fix.option}` };
  const file = `version=${version}&file=${encodeURIComponent(fix.file)}&line=${fix.line}`;
  return { label: `Show ${fix.file}:${fix.line}`, href: `/custom-bots/${type.split('/')[1] ?? ''}/files?${file}` };
}
