import { hostname } from 'node:os';
import type { ApiKey, KeyScope, NewApiKey } from '../../contract/account.ts';
import { PlatformError } from '../../contract/errors.ts';
import { entryIn } from '../../node/assistant-file.ts';
import { type AssistantName, askedIn, assistantTitle, type Setup } from '../../shared/assistants.ts';
import { createClient } from '../client.ts';
import type { Client } from '../command.ts';

/** Access that an assistant gets. */
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

const keyName = (assistant: AssistantName): string => `${keyTitle(assistant)} on ${hostname()}`.slice(0, 100);

/** Makes a key for an assistant on this machine. */
export function makeKey(host: Client, { assistant, scope, bots, extended }: Plan): Promise<NewApiKey> {
  return host.call('keys.create', {
    name: keyName(assistant),
    scope,
    bots: bots === null ? undefined : [...bots],
    extended: extended ? true : undefined,
  });
}

interface HeldKey {
  /** The key as the file spells it; null where the assistant keeps it elsewhere. */
  readonly text: string | null;
  /** The id by which the assistant asks for it; null where it does not, or asks for any key. */
  readonly askedId: string | null;
  readonly record: ApiKey;
  /** True if the key belongs to the entry of the extended server. */
  readonly forFurther: boolean;
}

/** Valid keys of the user that entries of a file hold, by the name of the server. */
export type HeldKeys = ReadonlyMap<string, HeldKey>;

const sameBots = (some: readonly string[] | null, others: readonly string[] | null): boolean =>
  some === null || others === null
    ? some === others
    : some.length === others.length && some.every((bot) => others.includes(bot));

const fits = ({ record, forFurther }: Pick<HeldKey, 'record' | 'forFurther'>, plan: Plan): boolean =>
  record.scope === plan.scope &&
  sameBots(record.bots, plan.bots) &&
  (forFurther ? record.extended : !record.extended || plan.extended);

/**
 * The keys of this host in the entries that a file has for these servers. An assistant that asks for its key stores it out of our
 * sight. Its question names the key; where it names none, as earlier releases wrote it, this takes, of the keys with the assistant's
 * name, the newest that fits, else the newest.
 */
export async function heldKeys(
  host: Client,
  before: string | null,
  setups: readonly Setup[],
  file: string,
  plan: Plan,
): Promise<HeldKeys> {
  const { items } = await host.call('keys.list', {});
  const valid = items.filter(
    ({ revoked_at, expires_at }) => revoked_at === null && (expires_at === null || Date.parse(expires_at) > Date.now()),
  );
  const named = valid
    .filter(({ name }) => name === keyName(plan.assistant))
    .sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
  const found = setups.flatMap((setup) => {
    const entry = entryIn(before ?? '', setup, file);
    const forFurther = setup.endpoint.endsWith('/extended');
    const text = KEY.exec(entry)?.[0] ?? null;
    const asked = entry.includes(JSON.stringify(setup.endpoint)) ? askedIn(entry, setup.server) : null;
    const askedId = asked?.keyId ?? null;
    const record =
      asked !== null && askedId === null
        ? (named.find((one) => fits({ record: one, forFurther }, plan)) ?? named[0])
        : valid.find(({ key_id }) => key_id === askedId || text?.includes(key_id) === true);
    return record === undefined ? [] : [[setup.server, { text, askedId, record, forFurther }] as const];
  });
  return new Map(found);
}

/** True for a key that the host accepts. The host is asked only for keys of its own, so no other host's key reaches it. */
async function isTaken(url: string, text: string): Promise<boolean> {
  try {
    await createClient({ url, credential: text }).call('auth.status', {});
    return true;
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'INVALID_API_KEY') return false;
    throw error;
  }
}

/** Returns the keys in a file that do what the plan asks for, no less and no more: they stay. By the server's name. */
export async function fittingKeys(host: Client, held: HeldKeys, plan: Plan): Promise<HeldKeys> {
  const fitting = [...held].filter(([, one]) => fits(one, plan));
  const taken = await Promise.all(
    fitting.map(async (one) => (one[1].text === null || (await isTaken(host.url, one[1].text)) ? [one] : [])),
  );
  return new Map(taken.flat());
}
