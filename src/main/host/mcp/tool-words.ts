/** Tools that replace commands, for assistants without a command line. */
const TOOLS: readonly (readonly [command: RegExp, tool: string])[] = [
  [/^platform bot logs\b/, 'logs_get'],
  [/^platform bot diagnose\b/, 'logs_summary'],
  [/^platform bot events\b/, 'bot_events at /mcp/extended, else recent_changes of bot_get'],
  [/^platform bot (?:get|runs)\b/, 'bot_get'],
  [/^platform bot update\b/, 'bot_update'],
  [/^platform bot start\b/, 'bot_update with enabled true'],
  [/^platform bot stop\b/, 'bot_update with enabled false'],
  [/^platform bot delete\b/, 'bot_delete'],
  [/^platform bot deploy\b/, 'bot_deploy'],
  [/^platform bot list\b/, 'bot_list'],
  [/^platform bot query\b/, 'bot_query'],
  [/^platform bot state\b/, 'bot_state_list'],
  [/^platform custom-bot list\b/, 'custom_bot_list'],
  [/^platform custom-bot get\b/, 'custom_bot_get'],
  [/^platform custom-bot schema\b/, 'custom_bot_schema'],
];
const COMMAND = /`(platform [^`]{1,200})`/g;

/** The tool that replaces a command; undefined where only the user can run it. */
export function toolFor(command: string): string | undefined {
  return TOOLS.find(([pattern]) => pattern.test(command))?.[1];
}

/** A hint that was written for people at a command line, for an assistant: a tool in place of each command that has one. */
export function inTools(hint: string): string {
  return hint.replaceAll(COMMAND, (_, command: string) => toolFor(command) ?? `\`${command}\` (the user runs it)`);
}
