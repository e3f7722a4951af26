import { PlatformError } from '../../../contract/errors.ts';
import { DEFAULT_RUNTIME, RUNTIME_IDS } from '../../../runtimes/registry.ts';
import { isJsonObject } from '../../../shared/json.ts';
import { schemaText } from './resources.ts';
import { RPC, RpcError } from './rpc.ts';
import type { ToolCaller } from './tool.ts';
import { fullBot } from './tools/records.ts';
import { AUTHOR_TEXT_NOTICE, BOT_WORDS_NOTICE, visibleText } from './untrusted.ts';
import { botUri, GUIDE_URI } from './uris.ts';

interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[];
}

/** Ways of working that a person can start from a menu of their assistant (MCP, prompts). */
export const PROMPTS: readonly Prompt[] = [
  {
    name: 'author_bot',
    title: 'Write a bot',
    description: 'Plan and write a new custom bot: files, settings schema, code, query handlers, a local run.',
    arguments: [
      { name: 'goal', description: 'What the bot should do', required: true },
      {
        name: 'runtime',
        description: `One of ${RUNTIME_IDS.join(', ')}; default ${DEFAULT_RUNTIME}`,
        required: false,
      },
    ],
  },
  {
    name: 'diagnose_bot',
    title: 'Diagnose a bot',
    description: 'Find out why a bot fails, with evidence from log, state and settings, before any change.',
    arguments: [{ name: 'bot_id', description: 'Bot to diagnose', required: true }],
  },
  {
    name: 'review_before_deploy',
    title: 'Review before deploying',
    description: 'Check the settings of a deployment against the schema and the purpose of the bot before it trades.',
    arguments: [
      { name: 'name', description: 'Custom bot to deploy', required: true },
      { name: 'settings', description: 'Settings as JSON', required: false },
    ],
  },
];

const text = (content: string) => ({ role: 'user' as const, content: { type: 'text' as const, text: content } });
const embedded = (uri: string, mimeType: string, content: string) => ({
  role: 'user' as const,
  content: { type: 'resource' as const, resource: { uri, mimeType, text: content } },
});

function readArguments(prompt: Prompt, given: unknown): Map<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(isJsonObject(given) ? given : {})) {
    if (typeof value === 'string') values.set(name, value);
  }
  const missing = prompt.arguments.find(({ name, required }) => required && (values.get(name) ?? '') === '');
  if (missing !== undefined) {
    throw new RpcError(RPC.invalidParams, `Prompt argument "${missing.name}" is required`, { argument: missing.name });
  }
  return values;
}

function author(values: ReadonlyMap<string, string>, guide: string) {
  const runtime = values.get('runtime') ?? DEFAULT_RUNTIME;
  return [
    embedded(GUIDE_URI, 'text/markdown', guide),
    text(
      `Write a custom bot for the runtime ${runtime} that does this: ${values.get('goal') ?? ''}\n\n` +
        'First list the settings with their limits and say what can go wrong. Then write bot-config.yaml, bot-schema.json, the bot, ' +
        'a query handler for /status and an instance.json. Run it with `platform dev`, publish it with `platform custom-bot deploy`. ' +
        'Ask me before you deploy it.',
    ),
  ];
}

async function diagnose(values: ReadonlyMap<string, string>, caller: ToolCaller) {
  const botId = values.get('bot_id') ?? '';
  const bot = await caller.call('bots.get', { bot_id: botId });
  return [
    text(BOT_WORDS_NOTICE),
    embedded(botUri(botId), 'application/json', visibleText(fullBot(bot))),
    text(
      `The bot ${bot.bot_id} misbehaves. Call logs_summary: it groups all errors, and names the failure, the lines that show it and what changed. ` +
        'Read the log around those times with logs_get and a narrow date_range, compare the settings with custom_bot_schema, look at bot_state_list. ' +
        'Report the cause, the evidence (quote lines with their times) and one proposed change. Change nothing yourself.',
    ),
  ];
}

async function review(values: ReadonlyMap<string, string>, caller: ToolCaller) {
  const name = values.get('name') ?? '';
  const { version, schema } = await caller.call('custom_bots.schema', { name });
  const uri = `platform://custom-bots/${encodeURIComponent(name)}/schema`;
  return [
    text(AUTHOR_TEXT_NOTICE),
    embedded(uri, 'application/schema+json', schemaText(schema)),
    text(
      `Before ${name} ${version} is deployed, review these settings: ${values.get('settings') ?? '(none given yet: propose them)'}\n\n` +
        'Check each against the schema and its description, name what is left to its default, and say what the bot will do with real money. ' +
        'Read custom_bot_get for the readme. List bots of the same kind with bot_list, so that none is deployed twice. ' +
        'Deploy nothing before I have agreed.',
    ),
  ];
}

/** The messages of a prompt, filled in. Unknown prompts and missing arguments are errors of the request. */
export async function getPrompt(params: Record<string, unknown>, caller: ToolCaller, guide: string) {
  const prompt = PROMPTS.find(({ name }) => name === params.name);
  if (prompt === undefined) {
    throw new RpcError(RPC.invalidParams, `Unknown prompt: ${String(params.name)}`, {
      known: PROMPTS.map(({ name }) => name),
    });
  }
  const values = readArguments(prompt, params.arguments);
  const { description } = prompt;
  try {
    if (prompt.name === 'author_bot') return { description, messages: author(values, guide) };
    if (prompt.name === 'diagnose_bot') return { description, messages: await diagnose(values, caller) };
    return { description, messages: await review(values, caller) };
  } catch (error) {
    if (error instanceof PlatformError && error.status === 404) {
      throw new RpcError(RPC.invalidParams, error.message, { code: error.code });
    }
    throw error;
  }
}

const MOST_COMPLETIONS = 100;

/** Values for an argument of a prompt or template that begin with the typed text (MCP, completion). */
export async function complete(params: Record<string, unknown>, caller: ToolCaller) {
  const { argument } = params;
  if (!isJsonObject(argument) || typeof argument.name !== 'string') {
    throw new RpcError(RPC.invalidParams, 'params.argument must have a name');
  }
  const typed = typeof argument.value === 'string' ? argument.value : '';
  const matches = (await candidates(argument.name, caller)).filter((value) => value.startsWith(typed));
  const values = matches.slice(0, MOST_COMPLETIONS);
  return { completion: { values, total: matches.length, hasMore: matches.length > values.length } };
}

async function candidates(name: string, caller: ToolCaller): Promise<readonly string[]> {
  if (name === 'bot_id') return (await caller.call('bots.list', {})).items.map((bot) => bot.bot_id);
  if (name === 'name') return (await caller.call('custom_bots.list', {})).items.map((custom) => custom.name);
  return name === 'runtime' ? RUNTIME_IDS : [];
}
