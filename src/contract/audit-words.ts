/**
 * Wording of an operation in the audit trail: a verb for a deed done, a verb for one only tried, and the object. A bracketed part
 * such as `[bot {bot}|a bot]` takes the names of fields; where one is unknown, the part reads as the text after its bar, or
 * disappears. A name with a question mark, as in `[, with a new password{password?}]`, stands for nothing: its part only says
 * that the field was given, and its value is not kept.
 *
 * A field is a text of the operation's input or, after an upload or publication, of the version made. `bot`, `project`, `api_key`
 * and `user` are the names behind `bot_id`, `project_id`, `key_id` and `user_id`. The trail keeps only the fields named here:
 * name none that may hold a secret.
 */
export type AuditWords = readonly [did: string, tried: string, what: string];

/** Outcome of a call that changed nothing yet, because a person has to approve it. */
export const WAITING = 'waiting';

/** Outcomes of calls that asked a person, and did nothing by themselves. */
const ASKED: ReadonlySet<string> = new Set(['asked', 'declined', WAITING]);

/** Names of the objects of a deed, by field of its words. */
export type AuditNames = Readonly<Record<string, string>>;

const PART = /\[([^[\]|]*)(?:\|([^[\]]*))?\]/g;
const FIELD = /\{(\w+\??)\}/g;

/** Name of a field of which the words tell only that it was given; null for a field whose value they show. */
export const givenField = (field: string): string | null => (field.endsWith('?') ? field.slice(0, -1) : null);

/** Fields that the words of an operation take. */
export function fieldsOf([, , what]: AuditWords): string[] {
  return [...what.matchAll(FIELD)].map(([, field]) => field ?? '');
}

/** A deed in words, without its actor: "saved main.py in project my-bot", "tried to delete bot sma". */
export function deedOf([did, tried, what]: AuditWords, names: AuditNames, outcome: string): string {
  const nameOf = (field: string): string | undefined => (Object.hasOwn(names, field) ? names[field] : undefined);
  // In one pass, because a name may hold brackets of its own.
  const about = what.replaceAll(PART, (_, part: string, otherwise: string | undefined) =>
    [...part.matchAll(FIELD)].every(([, field]) => nameOf(field ?? '') !== undefined)
      ? part.replaceAll(FIELD, (__, field: string) => (givenField(field) === null ? (nameOf(field) ?? '') : ''))
      : (otherwise ?? ''),
  );
  if (outcome === 'ok') return `${did} ${about}`;
  return `${ASKED.has(outcome) ? 'asked' : 'tried'} to ${tried} ${about}`;
}
