/** A resource of a bot. `record` is the bot itself. */
export type BotPart = 'record' | 'logs' | 'metrics' | 'state' | 'ledger';

/** The target of a resource address. */
export type ResourceRef =
  | { readonly kind: 'guide' }
  | { readonly kind: 'alarms' }
  | { readonly kind: 'bot'; readonly botId: string; readonly part: BotPart }
  | { readonly kind: 'schema'; readonly name: string }
  | { readonly kind: 'view'; readonly name: string; readonly version: string };

export const GUIDE_URI = 'platform://guide/authoring';
/** The newest alarms of the user. */
export const ALARMS_URI = 'platform://alarms';

export const botUri = (botId: string, part: BotPart = 'record'): string =>
  `platform://bots/${encodeURIComponent(botId)}${part === 'record' ? '' : `/${part}`}`;

/** Address of the view of a version, as a resource of MCP Apps. */
export const viewUri = (name: string, version: string): string => `ui://bots/${name}/${version}/view`;

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

/** Reads an address; null for one that names nothing here. */
export function parseUri(uri: string): ResourceRef | null {
  if (uri === GUIDE_URI) return { kind: 'guide' };
  if (uri === ALARMS_URI) return { kind: 'alarms' };
  const [, bot, part] = /^platform:\/\/bots\/([^/?#]{1,300})(?:\/(logs|metrics|state|ledger))?$/.exec(uri) ?? [];
  if (bot !== undefined) {
    const botId = decoded(bot);
    return botId === null ? null : { kind: 'bot', botId, part: (part as BotPart | undefined) ?? 'record' };
  }
  const [, viewed, version] = /^ui:\/\/bots\/([^/?#]{1,64})\/([^/?#]{1,64})\/view$/.exec(uri) ?? [];
  if (viewed !== undefined && version !== undefined) return { kind: 'view', name: viewed, version };
  const [, custom] = /^platform:\/\/custom-bots\/([^/?#]{1,300})\/schema$/.exec(uri) ?? [];
  const name = custom === undefined ? null : decoded(custom);
  return name === null ? null : { kind: 'schema', name };
}
