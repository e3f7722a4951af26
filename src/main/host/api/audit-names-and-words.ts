import type { AuditEntry } from '../../../contract/account.ts';
import { type AuditNames, type AuditWords, deedOf, fieldsOf, givenField } from '../../../contract/audit-words.ts';
import { OPERATIONS, type Operation, type OperationName } from '../../../contract/operations.ts';
import { isJsonObject } from '../../../shared/json.ts';
import type { KeptAuditEntry } from '../auth/audit-trail.ts';
import type { Principal } from '../auth/auth.ts';
import type { Services } from './services.ts';

const NAME_CHARS = 200;

/** Input field with the id of the object that each of these fields of the audit words names. */
const NAMED_BY = {
  bot: 'bot_id',
  asked_by: 'bot_id',
  api_key: 'key_id',
  user: 'user_id',
  project: 'project_id',
} as const;
type Named = keyof typeof NAMED_BY;

const isNamed = (field: string): field is Named => Object.hasOwn(NAMED_BY, field);

/** Fields of the audit words that the target of an entry can fill, in the order in which they are tried. */
const BY_TARGET = ['bot', 'api_key', 'user', 'project', 'dir', 'uri', 'name'];

type Who = Pick<Principal, 'userId' | 'role'>;
type NamedSources = Pick<Services, 'auth' | 'bots' | 'projects' | 'staged'>;
type Sources = NamedSources & Pick<Services, 'assistantWords'>;

/** Finds the names that the caller may know; reads each list at most once. */
function namesFor(
  { auth, bots, projects, staged }: NamedSources,
  { userId, role }: Who,
): Record<Named, (id: string) => string | null> {
  let keys: ReadonlyMap<string, string> | null = null;
  let users: ReadonlyMap<string, string> | null = null;
  return {
    bot(id) {
      const bot = bots.get(id);
      return bot?.userId === userId ? bot.name : null;
    },
    /** Who asked for the change of this bot that waits. */
    asked_by: (id) => (bots.get(id)?.userId === userId ? (staged.of(id)?.askedBy ?? null) : null),
    project: (id) => projects.nameOf(userId, id),
    api_key(id) {
      keys ??= new Map(auth.listKeys(userId).map(({ key_id, name }) => [key_id, name]));
      return keys.get(id) ?? null;
    },
    user(id) {
      if (role !== 'owner') return null;
      users ??= new Map(auth.listUsers().map(({ user_id, name }) => [user_id, name]));
      return users.get(id) ?? null;
    },
  };
}

function textIn(from: unknown, field: string): string | null {
  if (!isJsonObject(from) || !Object.hasOwn(from, field)) return null;
  const value = from[field];
  return typeof value === 'string' && value !== '' ? value.slice(0, NAME_CHARS) : null;
}

/** Names of a call's objects before it runs: afterwards removed ones have none. */
export function namesBefore(s: NamedSources, words: AuditWords, input: unknown, who: Who): AuditNames {
  const known = namesFor(s, who);
  const names: Record<string, string> = {};
  for (const field of fieldsOf(words)) {
    const given = givenField(field);
    if (given !== null) {
      if (isJsonObject(input) && input[given] !== undefined) names[field] = 'given';
      continue;
    }
    const id = isNamed(field) ? textIn(input, NAMED_BY[field]) : null;
    const name = isNamed(field) ? id && known[field](id) : textIn(input, field);
    if (name !== null && name !== '') names[field] = name;
  }
  return names;
}

/** Adds the names that only the answer has: name and version of a publication. */
export function namesAfter(words: AuditWords, before: AuditNames, result: unknown): AuditNames {
  const made = isJsonObject(result) ? result.custom_bot : null;
  const told = fieldsOf(words).map((field): [string, string | null] => [field, before[field] ?? textIn(made, field)]);
  return Object.fromEntries(told.filter((one): one is [string, string] => one[1] !== null));
}

function rowOf(operation: string): Operation | null {
  return Object.hasOwn(OPERATIONS, operation) ? OPERATIONS[operation as OperationName] : null;
}

function wordsOf(s: Sources, operation: string): AuditWords | null {
  return rowOf(operation)?.audit ?? s.assistantWords.get(operation) ?? null;
}

/**
 * True if the details of an entry are hidden from an API key: the entry concerns folders of the machine, or a bot that
 * the key does not reach. The key still sees that the call was made.
 */
function isHidden(
  s: Sources,
  { operation, target, key_id }: KeptAuditEntry,
  { method, keyId, botIds }: Principal,
): boolean {
  if (method !== 'api_key') return false;
  const row = rowOf(operation);
  // An operation that no longer exists may have worked on folders.
  if (row === null ? !s.assistantWords.has(operation) : row.onMachine) return true;
  return botIds !== null && key_id !== keyId && (target === null || !botIds.has(target));
}

/** Returns entries of the audit trail in words for the user whose entries they are. */
export function toldAudit(s: Sources, principal: Principal, kept: readonly KeptAuditEntry[]): AuditEntry[] {
  const known = namesFor(s, principal);
  return kept.map((entry) => {
    const hidden = isHidden(s, entry, principal);
    const target = hidden ? null : entry.target;
    const words = wordsOf(s, entry.operation);
    const names: Record<string, string> = {};
    if (words !== null && target !== null) {
      const fields = new Set(fieldsOf(words));
      const field = BY_TARGET.find((one) => fields.has(one));
      // Older entries and reads were stored without names: they get the present ones.
      const name = field === undefined ? null : isNamed(field) ? known[field](target) : target;
      if (field !== undefined && name !== null) names[field] = name;
    }
    if (!hidden) Object.assign(names, entry.names);
    const key = entry.key_id === null ? null : (known.api_key(entry.key_id) ?? entry.key_id);
    return {
      ...entry,
      target,
      names,
      by: key === null ? principal.name : `key ${key}`,
      deed: words === null ? entry.operation : deedOf(words, names, entry.outcome),
    };
  });
}
