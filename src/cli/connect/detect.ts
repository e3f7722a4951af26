import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type AssistantName, assistantSigns, type Machine } from '../../isomorphic/assistant-places.ts';

function onPath(program: string, { os, env }: Machine): boolean {
  const ends = os === 'win32' ? ['.exe', '.cmd', '.bat'] : [''];
  const folders = (env.PATH ?? env.Path ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.some((folder) => ends.some((end) => existsSync(join(folder, `${program}${end}`))));
}

/** Whether an assistant seems to be on this machine. */
export function isHere(assistant: AssistantName, machine: Machine): boolean {
  const signs = assistantSigns(assistant, machine);
  if (signs === null) return false;
  return existsSync(signs.path) || signs.programs.some((program) => onPath(program, machine));
}
