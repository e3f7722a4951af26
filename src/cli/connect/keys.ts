import { hostname } from 'node:os';
import type { ApiKey, KeyScope, NewApiKey } from '../../contract/account.ts';
import { PlatformError } from '../../contract/errors.ts';
import { type AssistantName, assistantTitle, type Setup } from '../../shared/assistants.ts';
import { createClient } from '../client.ts';
import type { Client } from '../command.ts';
import { entryIn } from './config-file.ts';

/** What an assistant is to get. */
export interface Plan {
  readonly assistant: AssistantName;
  readonly scope: KeyScope;
  /** Ids of the only bots that its key reaches; null: all. */
  readonly bots: readonly string[] | null;
  readonly extended: boolean;
}

const KEY = /plat_[\w-]{20,}/;

/** Name of a key for an assistant, without the machine. */
export const keyTitle = (assistant: AssistantName): string =>
  assistant === 'generic' ? 'Assistant' : assistantTitle(assistant);

/** Makes a key for an assistant on this machine. */
export function makeKey(host: Client, { assistant, scope, bots, extended }: Plan): Promise<NewApiKey> {
  return host.call('keys.create', {
    name: `${keyTitle(assistant)} on ${hostname()}`.slice(0, 100),
    scope,
    bots: bots === null ? undefined : [...bots],
    extended: extended ? true : undefined,
  });
}

interface HeldKey {
  /** The key as the file spells it. */
  readonly text: string;
  readonly record: ApiKey;
  /** It stands in the entry of the further tools. */
  readonly forFurther: boolean;
}

/** Valid keys of the user that entries of a file hold, by the name of the server. */
export type HeldKeys = ReadonlyMap<string, HeldKey>;

/** The keys of this host in the entries that a file has for these servers. */
export async function heldKeys(
  host: Client,
  before: string | null,
  setups: readonly Setup[],
  file: string,
): Promise<HeldKeys> {
  const { items } = await host.call('keys.list', {});
  const found = setups.flatMap((setup) => {
    const text = KEY.exec(entryIn(before ?? '', setup, file))?.[0];
    const record = items.find(({ key_id, revoked_at }) => revoked_at === null && text?.includes(key_id) === true);
    if (text === undefined || record === undefined) return [];
    const forFurther = setup.endpoint.endsWith('/extended');
    return [[setup.server, { text, record, forFurther }] as const];
  });
  return new Map(found);
}

const sameBots = (some: readonly string[] | null, others: readonly string[] | null): boolean =>
  some === null || others === null
    ? some === others
    : some.length === others.length && some.every((bot) => others.includes(bot));

/** True for a key that the host takes. It is asked only for one of its own keys, so no other host's key reaches it. */
async function isTaken(url: string, text: string): Promise<boolean> {
  try {
    await createClient({ url, credential: text }).call('auth.status', {});
    return true;
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'INVALID_API_KEY') return false;
    throw error;
  }
}

/** The keys in a file that do what the plan asks for, no less and no more: they stay. By the server's name. */
export async function fittingKeys(host: Client, held: HeldKeys, plan: Plan): Promise<HeldKeys> {
  const fitting = [...held].filter(
    ([, { record, forFurther }]) =>
      record.scope === plan.scope &&
      sameBots(record.bots, plan.bots) &&
      (forFurther ? record.extended : !record.extended || plan.extended),
  );
  const taken = await Promise.all(fitting.map(async (one) => ((await isTaken(host.url, one[1].text)) ? [one] : [])));
  return new Map(taken.flat());
}
