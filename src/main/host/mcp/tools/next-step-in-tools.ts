import type { Failure } from '../../../../contract/failure.ts';
import { inTools, toolFor } from '../tool-words.ts';

/** The next step of a failure for an assistant: tools replace commands; only the user can run the rest. */
export function nextStepInTools({ action, commands }: Failure['next'], botId: string) {
  const steps = commands.map((command) => ({
    command,
    tool: toolFor(command),
  }));
  return {
    action: inTools(action),
    tools: [...new Set(steps.flatMap(({ tool }) => (tool === undefined ? [] : [tool])))],
    bot_id: botId,
    ask_user_to_run: steps.filter(({ tool }) => tool === undefined).map(({ command }) => command),
  };
}
