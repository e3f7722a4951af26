import type { Failure } from '../../../contract/failure.ts';

/** Tools that do what a command does, for assistants that have no command line. */
const TOOLS: readonly (readonly [command: RegExp, tool: string])[] = [
  [/^platform bot logs /, 'logs_get'],
  [/^platform bot (get|runs) /, 'bot_get'],
  [/^platform bot update /, 'bot_update'],
  [/^platform bot start /, 'bot_update with enabled true'],
  [/^platform bot state /, 'bot_state_list'],
  [/^platform custom-bot list/, 'custom_bot_list'],
];

/** The next step of a failure for an assistant: tools in place of commands; what is left only the user can run. */
export function forAssistant({ action, commands }: Failure['next'], botId: string) {
  const steps = commands.map((command) => ({
    command,
    tool: TOOLS.find(([pattern]) => pattern.test(command))?.[1],
  }));
  return {
    action,
    tools: [...new Set(steps.flatMap(({ tool }) => (tool === undefined ? [] : [tool])))],
    bot_id: botId,
    ask_user_to_run: steps.filter(({ tool }) => tool === undefined).map(({ command }) => command),
  };
}
