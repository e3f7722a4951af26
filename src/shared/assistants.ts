import { type AssistantName, assistantFile, type Machine } from './assistant-places.ts';

/** Stands in for a key that must not be shown: in links, which land in a browser's history, and in arguments. */
export const KEY_PLACEHOLDER = '<API_KEY>';

export type { AssistantName, Machine };

/** The host's address, and the command that starts this program on the machine of the assistant. */
export interface Reach {
  /** Address of the host, such as `http://127.0.0.1:4747`. */
  readonly url: string;
  /** The further tools, at an address and under a name of their own, instead of the 14. */
  readonly extended: boolean;
  /** Command line of `platform` with absolute paths: programs that a desktop starts do not have a shell's PATH. */
  readonly program: readonly string[];
  /** The same, as a person types it. */
  readonly typed: readonly string[];
  /** Arguments that lead to the same host again, such as `--data DIR`. */
  readonly arguments: readonly string[];
  readonly machine: Machine;
}

type Json = string | number | boolean | readonly Json[] | { readonly [key: string]: Json };
type Entry = Readonly<Record<string, Json>>;

/** Everything that one assistant needs. Only `value` and `snippet` hold the key. */
export interface Setup {
  readonly assistant: AssistantName;
  readonly title: string;
  readonly transport: 'http' | 'stdio';
  /** Name of the server in the assistant. */
  readonly server: string;
  /** Address of the endpoint. */
  readonly endpoint: string;
  /** The configuration file it reads for all projects of the user; null where we know of none. */
  readonly file: string | null;
  readonly format: 'json' | 'toml';
  /** Keys that lead to the entry in the file, the server's name last. */
  readonly path: readonly string[];
  readonly entry: Entry;
  /** Further entries of lists in the file, told apart by `id`. */
  readonly lists: Readonly<Record<string, Entry>>;
  /** The whole file with nothing else in it. */
  readonly snippet: string;
  /** Where the key goes: into the entry, or into the answer to a question that the assistant asks once. */
  readonly keyIn: 'entry' | 'question';
  /** Command line that sets the assistant up without a key: it works by this command line's own log-in. */
  readonly run: readonly string[] | null;
  /** Opens the assistant with all but the key filled in. */
  readonly link: string | null;
  /** A warning to read before changing the file. */
  readonly caution: string | null;
  /** The step after the set-up. */
  readonly next: string;
  readonly notes: readonly string[];
}

interface Draft {
  readonly title: string;
  readonly transport: 'http' | 'stdio';
  readonly list: string;
  readonly entry: (parts: Parts) => Entry;
  readonly format?: 'toml';
  readonly keyIn?: 'question';
  readonly lists?: (parts: Parts) => Readonly<Record<string, Entry>>;
  readonly run?: (parts: Parts) => readonly string[];
  readonly link?: (parts: Parts) => string;
  readonly caution?: string;
  readonly next: string;
  readonly notes: readonly string[];
}

interface Parts {
  readonly server: string;
  readonly endpoint: string;
  readonly key: string | null;
  readonly keyId: string | null;
  readonly reach: Reach;
}

const HEADER = 'x-api-key';

const bridgeArguments = ({ reach }: Parts): string[] => [
  'mcp',
  ...reach.arguments,
  ...(reach.extended ? ['--extended'] : []),
];

function http({ endpoint, key }: Parts, address = 'url'): Entry {
  return { [address]: endpoint, headers: { [HEADER]: key ?? KEY_PLACEHOLDER } };
}

/** Without a key the bridge uses the log-in of the command line. */
function stdio(parts: Parts): Entry {
  const [command = 'platform', ...first] = parts.reach.program;
  const env = parts.key === null ? {} : { env: { PLATFORM_API_KEY: parts.key } };
  return { command, args: [...first, ...bridgeArguments(parts)], ...env };
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Base64 of ASCII text; neither Node's nor the browser's own is in both. */
function base64(text: string): string {
  const groups = text.match(/[\s\S]{1,3}/g) ?? [];
  return groups
    .map((group) => {
      const [a, b, c] = [0, 1, 2].map((index) => group.charCodeAt(index) || 0) as [number, number, number];
      const bits = (a << 16) | (b << 8) | c;
      const chars = [18, 12, 6, 0].map((shift) => ALPHABET[(bits >> shift) & 63] ?? '');
      return chars.slice(0, group.length + 1).join('') + '='.repeat(3 - group.length);
    })
    .join('');
}

const asText = (value: unknown): string => encodeURIComponent(JSON.stringify(value));
const asBase64 = (value: unknown): string => encodeURIComponent(base64(JSON.stringify(value)));

/** An assistant keeps the answer under this id, so that each key has a question of its own: else it would keep the key before. */
const question = ({ server, keyId }: Parts): Entry & { readonly id: string } => ({
  id: keyId === null ? `${server}-key` : `${server}-key-${keyId}`,
  type: 'promptString',
  description: 'API key of the Bot Platform (platform keys create)',
  password: true,
});

const QUESTION = /^(bot-platform(?:-extended)?)-key(?:-([0-9a-z]+))?$/;

/** True for the id of a question for the key of a server. */
export const isQuestionOf = (server: string, id: unknown): id is string =>
  typeof id === 'string' && QUESTION.exec(id)?.[1] === server;

/** The key for which the entry of a server asks: its id, or null where the question names none. Null for an entry that asks nothing. */
export function askedIn(entry: string, server: string): { readonly keyId: string | null } | null {
  const id = /\$\{input:([\w-]+)\}/.exec(entry)?.[1] ?? '';
  return isQuestionOf(server, id) ? { keyId: QUESTION.exec(id)?.[2] ?? null } : null;
}

const asked = (parts: Parts): Entry => ({
  type: 'http',
  url: parts.endpoint,
  headers: { [HEADER]: `\${input:${question(parts).id}}` },
});

const typedBridge = (parts: Parts): string[] => [...parts.reach.typed, ...bridgeArguments(parts)];
const withoutKey = (parts: Parts): Parts => ({ ...parts, key: null });

const DRAFTS: Readonly<Record<AssistantName, Draft>> = {
  'claude-code': {
    title: 'Claude Code',
    transport: 'http',
    list: 'mcpServers',
    entry: (parts) => ({ type: 'http', ...http(parts) }),
    run: (parts) => ['claude', 'mcp', 'add', '--scope', 'user', parts.server, '--', ...typedBridge(parts)],
    next: 'Restart Claude Code; /mcp lists the server.',
    caution: 'Claude Code writes to this file, too: close it before the file is changed.',
    notes: [],
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    transport: 'stdio',
    list: 'mcpServers',
    entry: stdio,
    next: 'Quit Claude Desktop entirely and start it again.',
    notes: [
      'It reaches programs of this machine only by a command, never by an address.',
      'Settings > Developer > Edit Config opens the file, wherever it is.',
    ],
  },
  cursor: {
    title: 'Cursor',
    transport: 'http',
    list: 'mcpServers',
    entry: (parts) => http(parts),
    link: (parts) =>
      `cursor://anysphere.cursor-deeplink/mcp/install?name=${parts.server}&config=${asBase64(http(withoutKey(parts)))}`,
    next: 'Settings > MCP shows the server; switch it on there.',
    notes: [],
  },
  vscode: {
    title: 'VS Code',
    transport: 'http',
    list: 'servers',
    entry: asked,
    keyIn: 'question',
    lists: (parts) => ({ inputs: question(parts) }),
    link: (parts) =>
      `vscode:mcp/install?${asText({ name: parts.server, ...asked(parts), inputs: [{ ...question(parts) }] })}`,
    next: 'VS Code asks for the key when it next starts the server, and keeps it encrypted.',
    notes: [
      'For one project only, put the same into .vscode/mcp.json there.',
      'It keeps an answer under the id of its input. To have it ask again, give the input another id, in both places.',
    ],
  },
  codex: {
    title: 'Codex',
    transport: 'http',
    list: 'mcp_servers',
    format: 'toml',
    entry: ({ endpoint, key }) => ({ url: endpoint, http_headers: { [HEADER]: key ?? KEY_PLACEHOLDER } }),
    run: (parts) => ['codex', 'mcp', 'add', parts.server, '--', ...typedBridge(parts)],
    next: 'Restart Codex; /mcp lists the server.',
    notes: ['env_http_headers takes the name of a variable, if no key is to be in the file.'],
  },
  'lm-studio': {
    title: 'LM Studio',
    transport: 'http',
    list: 'mcpServers',
    entry: (parts) => http(parts),
    link: (parts) => `lmstudio://add_mcp?name=${parts.server}&config=${asBase64(http(withoutKey(parts)))}`,
    next: 'Switch the server on in the Program tab, for a model that uses tools.',
    notes: ['Program > Install > Edit mcp.json opens the file, wherever it is.'],
  },
  'gemini-cli': {
    title: 'Gemini CLI',
    transport: 'http',
    list: 'mcpServers',
    // `url` means another transport there.
    entry: (parts) => http(parts, 'httpUrl'),
    run: (parts) => {
      const [command = 'platform', ...rest] = typedBridge(parts);
      return ['gemini', 'mcp', 'add', '--scope', 'user', parts.server, command, '--', ...rest];
    },
    next: 'Restart Gemini CLI; /mcp lists the server.',
    notes: [],
  },
  antigravity: {
    title: 'Antigravity',
    transport: 'http',
    list: 'mcpServers',
    // `url` is not read there by every release.
    entry: (parts) => http(parts, 'serverUrl'),
    next: 'Open MCP Servers in the menu (…) of the agent panel, then Manage MCP Servers, and press Refresh.',
    notes: ['Manage MCP Servers > View raw config opens the file, wherever it is.'],
  },
  generic: {
    title: 'Any other assistant',
    transport: 'stdio',
    list: 'mcpServers',
    entry: stdio,
    next: 'Most assistants read this form; some call the list `servers`.',
    notes: [],
  },
};

/** Names of all assistants, in the order in which they are shown. */
export const ASSISTANTS = Object.keys(DRAFTS) as readonly AssistantName[];

/** True for the name of an assistant. */
export const isAssistant = (name: string): name is AssistantName => Object.hasOwn(DRAFTS, name);

/** Title of an assistant, for people. */
export const assistantTitle = (name: AssistantName): string => DRAFTS[name].title;

const tomlText = (value: Json): string =>
  typeof value === 'object' && !Array.isArray(value)
    ? `{ ${Object.entries(value)
        .map(
          ([key, item]) => `${/^[\w-]+$/.test(key) && key !== HEADER ? key : JSON.stringify(key)} = ${tomlText(item)}`,
        )
        .join(', ')} }`
    : JSON.stringify(value);

/** Lines `key = value` of a TOML table. Every value here is text, or a table of text. */
export function tomlLines(entry: Entry): string[] {
  return Object.entries(entry).map(([key, value]) => `${key} = ${tomlText(value)}`);
}

type Placed = Pick<Setup, 'format' | 'path' | 'entry' | 'lists'>;

/** The whole file with the servers of these setups of one assistant, and nothing else. */
export function snippetOf(setups: readonly Placed[]): string {
  const [first] = setups;
  const [list = ''] = first?.path ?? [];
  if (first?.format === 'toml')
    return setups.map(({ path, entry }) => `[${path.join('.')}]\n${tomlLines(entry).join('\n')}\n`).join('\n');
  const names = Object.keys(first?.lists ?? {});
  const lists = names.map((name) => [name, setups.flatMap(({ lists: all }) => all[name] ?? [])]);
  const servers = setups.map(({ path, entry }) => [path.at(-1) ?? '', entry]);
  return `${JSON.stringify({ ...Object.fromEntries(lists), [list]: Object.fromEntries(servers) }, null, 2)}\n`;
}

/**
 * Builds the entry by which an assistant reaches a host; `key` null stands for its place, or for the command line's own
 * log-in. `keyId`: the public id of the key, for an assistant that asks for it; null: a question for any key.
 */
export function setupOf(
  assistant: AssistantName,
  reach: Reach,
  key: string | null,
  keyId: string | null = null,
): Setup {
  const draft = DRAFTS[assistant];
  const server = reach.extended ? 'bot-platform-extended' : 'bot-platform';
  const endpoint = `${reach.url}${reach.extended ? '/mcp/extended' : '/mcp'}`;
  const parts: Parts = { server, endpoint, key, keyId, reach };
  const entry = draft.entry(parts);
  const lists = draft.lists?.(parts) ?? {};
  const placed = { format: draft.format ?? 'json', path: [draft.list, server], entry, lists } as const;
  return {
    ...placed,
    assistant,
    title: draft.title,
    transport: draft.transport,
    server,
    endpoint,
    file: assistantFile(assistant, reach.machine),
    snippet: snippetOf([placed]),
    keyIn: draft.keyIn ?? 'entry',
    run: draft.run?.(withoutKey(parts)) ?? null,
    link: draft.link?.(withoutKey(parts)) ?? null,
    caution: draft.caution ?? null,
    next: draft.next,
    notes: draft.notes,
  };
}

/** Every server that an assistant gets: the 14 tools always, and beside them the further ones where `extended` is set. */
export function setupsOf(
  assistant: AssistantName,
  reach: Reach,
  key: string | null,
  keyId: string | null = null,
): readonly [Setup, ...Setup[]] {
  const further = reach.extended ? [setupOf(assistant, reach, key, keyId)] : [];
  return [setupOf(assistant, { ...reach, extended: false }, key, keyId), ...further];
}
