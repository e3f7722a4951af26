/** What the Python SDK offers, as the editor completes and explains it. */
export interface SdkEntry {
  /** As it is written after `from platform_sdk import …`. */
  readonly name: string;
  readonly signature: string;
  readonly doc: string;
}

/** The functions of resources/sdk/python; a test holds the two together. */
export const PYTHON_SDK: readonly SdkEntry[] = [
  { name: 'parse', signature: 'parse() -> tuple[str, dict[str, Any]]', doc: "The bot's id and configuration." },
  {
    name: 'metric',
    signature: 'metric(type: str, data: Mapping[str, Any] | None = None) -> None',
    doc: 'Emits a metric: `data` is shown and charted under its type.',
  },
  {
    name: 'log',
    signature: 'log(message: object, level: str | None = None) -> None',
    doc: 'Writes a log line. `level` is debug, warn or error; without it the line is info.',
  },
  { name: 'success', signature: 'success(message: object) -> None', doc: 'Reports that a scheduled run went well.' },
  {
    name: 'error',
    signature: 'error(message: object) -> NoReturn',
    doc: 'Reports a failure and ends the process with exit code 1.',
  },
  { name: 'result', signature: 'result(data: Any) -> None', doc: "Gives out a result of the bot's own." },
  {
    name: 'state.get',
    signature: 'get(key: str, default: Any = None) -> Any',
    doc: 'The value under a key; `default` when there is none.',
  },
  { name: 'state.set', signature: 'set(key: str, value: Any) -> None', doc: 'Stores a JSON value under a key.' },
  { name: 'state.remove', signature: 'remove(key: str) -> bool', doc: 'Removes a key; True when it was there.' },
  { name: 'state.list', signature: 'list() -> builtins.list[str]', doc: 'All keys, sorted.' },
  {
    name: 'query.handler',
    signature: 'handler(path: str, function: Handler | None = None) -> Any',
    doc: 'Registers a function for a path such as `/status`; also as a decorator: `@query.handler("/status")`.',
  },
  { name: 'query.get_config', signature: 'get_config() -> dict[str, Any]', doc: "The bot's configuration." },
  {
    name: 'query.run',
    signature: 'run() -> None',
    doc: 'Answers the one query of a query run and ends the process (exit code 1 for an error), else serves queries until the process is told to stop.',
  },
];

const MODULES = ['state', 'query'];

/** Entries that may follow what was typed of a line. */
export function pythonSuggestions(typed: string): readonly SdkEntry[] {
  const member = /(?:^|[^\w.])(\w+)\.\w*$/.exec(typed)?.[1];
  if (member !== undefined) {
    return MODULES.includes(member) ? PYTHON_SDK.filter(({ name }) => name.startsWith(`${member}.`)) : [];
  }
  if (/\.\w*$/.test(typed) || /#/.test(typed)) return [];
  return PYTHON_SDK.filter(({ name }) => !name.includes('.'));
}

/** What a word of a line means, with what stands before it; null for none of the SDK's. */
export function pythonEntryAt(before: string, word: string, importsSdk: boolean): SdkEntry | null {
  if (!importsSdk) return null;
  const owner = /(\w+)\.$/.exec(before)?.[1];
  const name = owner === undefined ? word : `${owner}.${word}`;
  return PYTHON_SDK.find((entry) => entry.name === name) ?? null;
}
