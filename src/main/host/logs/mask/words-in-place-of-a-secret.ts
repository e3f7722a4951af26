/** Words that follow the name of a secret without being one: states, types, literals. */
export const WORDS_ABOUT_SECRETS: readonly string[] = (
  'absent accepted any bad boolean bool bytes cannot changed configured correct could created denied disabled does empty ' +
  'enabled error expected expired fail failed false found from granted has hidden incorrect invalid is loaded missing must ' +
  'nan nil no none not null number object ok omitted optional pending provided read redacted refreshed rejected required ' +
  'revoked rotated saved sent set should str string true undefined unknown unset updated valid verified was will wrong yes'
).split(' ');

const WORDS = new Set(WORDS_ABOUT_SECRETS);
const NAME = String.raw`[A-Za-z_][\w.-]*`;
/**
 * References to a secret and placeholders: `${NAME`, `$NAME`, `{{ name`, `%s`, `arn:aws:…`, `your_key`, `xxxx`, `...`.
 */
const STANDS_FOR = new RegExp(
  String.raw`^(?:\$\{${NAME}\}?|\$[A-Z_]+|\{\{?\s*(?:${NAME})?|%s|%\(\w+\)s|<[a-z][a-z _-]*>?|\[[a-z][a-z _-]*\]?|arn:aws[a-z-]*:\S+|` +
    String.raw`(?:vault|file|env|ssm|op|sops):[a-z0-9/_.:-]+|(?:~|\.{1,2})?/(?:[a-z0-9._-]+/)+[a-z0-9._-]+|` +
    String.raw`your[_-][a-z_-]+|x{4,}|\.{3,}|[\u2022\u25cf\u2026]+)$`,
);
const YOUR = /^your[_-][a-z_-]+$/i;

/** True if a text in the place of a secret is only a word about it, or a reference or placeholder. */
export function isNoSecret(value: string): boolean {
  if (WORDS.has(value.toLowerCase().replace(/[.!?:]$/, ''))) return true;
  return value.length <= 200 && (STANDS_FOR.test(value) || YOUR.test(value) || /^X{4,}$/.test(value));
}
