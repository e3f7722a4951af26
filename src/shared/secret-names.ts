/** Words that name a secret wherever they stand in a name. */
const ALWAYS = new Set([
  'password',
  'passwords',
  'passwd',
  'passphrase',
  'passcode',
  'pwd',
  'secret',
  'secrets',
  'mnemonic',
  'credential',
  'credentials',
  'apikey',
  'apikeys',
  'apisecret',
  'apitoken',
  'appsecret',
  'secretkey',
  'secretkeys',
  'privatekey',
  'privatekeys',
  'privkey',
  'accesskey',
  'accesskeyid',
  'accesstoken',
  'secretaccesskey',
  'authtoken',
  'authkey',
  'bearertoken',
  'bottoken',
  'clientsecret',
  'encryptionkey',
  'refreshtoken',
  'seedphrase',
  'sessiontoken',
  'signingkey',
  'webhooksecret',
]);

/** `<word> key` names a secret. */
const BEFORE_KEY = new Set(
  'api secret private priv access auth signing signature encryption decryption master ssh hmac wallet deploy'.split(
    ' ',
  ),
);
/** `<word> token` names a secret. */
const BEFORE_TOKEN = new Set(
  (
    'access api app auth bearer bot client csrf deploy discord github gitlab id jwt npm oauth personal pypi refresh ' +
    'secret security service session slack telegram tg webhook xsrf'
  ).split(' '),
);
/** `<word> pass` names a secret. */
const BEFORE_PASS = new Set(
  (
    'account admin auth basic broker database db email ftp http imap key login mail mongo mysql pg postgres proxy rabbitmq ' +
    'redis root smtp ssh user usr wallet'
  ).split(' '),
);
/** `<word> phrase`, `<word> words`. */
const BEFORE_PHRASE = new Set(['seed', 'recovery', 'backup', 'mnemonic', 'secret', 'wallet', 'pass']);

/** Last words that make it a fact about a secret and not the secret: `password_length`, `token_url`, `secret_name`. */
const ABOUT = new Set(
  (
    'age algorithm alg at attempts changed count created days date enabled endpoint env error errors exists expired ' +
    'expires expiry expiration expiring field file filename format header hint hours id ids index issuer label len length ' +
    'limit locked loaded max message min minutes missing mode ms name names ok optional param path policy present prompt ' +
    'provided provider required reset retries rotated rotation rule rules schema seconds set size source status store ' +
    'strength ttl type types until updated uri url valid validated validity version warning'
  ).split(' '),
);
/** First words that do the same: `has_password`, `max_secrets`. */
const ABOUT_FIRST = new Set(
  'can change check forgot has have hide is max min missing needs no num number require requires reset show use uses with'.split(
    ' ',
  ),
);

const WORDS = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;

/** `binance.apiKey_2` as `binance api key 2`. */
export function nameWords(name: string): string[] {
  return (name.slice(0, 200).match(WORDS) ?? []).map((word) => word.toLowerCase());
}

/** Key ids of these travel together with their secret and are sent as credentials. */
function isCredentialId(words: readonly string[]): boolean {
  return words.at(-1) === 'id' && words.at(-2) === 'key' && BEFORE_KEY.has(words.at(-3) ?? '');
}

/**
 * True when the name alone shows that a property holds a secret: `api_key`, `apiSecret`, `DB_PASS`, `seed_phrase`.
 * `token`, `key`, `seed` and `auth` alone do not say so, nor do names about a secret such as `max_tokens`,
 * `token_pair`, `password_length` or `has_secret`.
 */
export function looksSecret(propertyName: string): boolean {
  const words = nameWords(propertyName);
  const last = words.findLast((word) => !/^\d+$/.test(word)) ?? '';
  if (isCredentialId(words)) return true;
  if (ABOUT.has(last) || ABOUT_FIRST.has(words[0] ?? '')) return false;
  return words.some((word, i) => {
    if (ALWAYS.has(word)) return true;
    const before = words[i - 1] ?? '';
    if (word === 'key' || word === 'keys') return BEFORE_KEY.has(before);
    if (word === 'token' && i === words.length - 1) return BEFORE_TOKEN.has(before);
    if (word === 'pass') return BEFORE_PASS.has(before) && word === last;
    return (word === 'phrase' || word === 'words') && BEFORE_PHRASE.has(before);
  });
}

/** Last words of names whose value is a secret only if it looks random. */
const MAYBE = ['token', 'jwt', 'session', 'sessionid', 'cookie'];

/** Words beside `token` that make it a place in a list: `next_page_token`. */
const CURSOR = new Set('page next prev previous continuation cursor pagination'.split(' '));

/** True when a name may hold a secret, depending on the value: `token`, `session_id`, `jwt`, `cookie`. */
export function mayBeSecret(propertyName: string): boolean {
  const words = nameWords(propertyName);
  const last = words.at(-1) ?? '';
  if (last === 'token' && words.some((word) => CURSOR.has(word))) return false;
  return MAYBE.includes(last) || (last === 'id' && words.at(-2) === 'session');
}

const RANDOM = /^(?=[A-Za-z0-9_~+/=.-]*[0-9])(?=[A-Za-z0-9_~+/=.-]*[A-Za-z])[A-Za-z0-9_~+/=.-]{16,}$/;
/** Random letters without a digit: many of both cases, and neighbouring capitals, which camel-case names seldom have. */
const RANDOM_LETTERS = /^(?=(?:[^A-Z]*[A-Z]){6})(?=(?:[^a-z]*[a-z]){6})(?=.*[A-Z]{2}.*[A-Z]{2})[A-Za-z_~+/=.-]{24,}$/;
const NUMBER = /^[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:e[+-]?\d+)?%?$/i;
export const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const ADDRESS = /^0x[0-9a-f]{40}$/i;
const DATE = /^\d{4}-\d\d-\d\d/;
const DOTTED = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/;

/** Addresses of Solana, Tron and TON, and ids of 32 bytes: what the `token` of a trade is. */
const ON_CHAIN = /^(?:[1-9A-HJ-NP-Za-km-z]{43,44}|T[1-9A-HJ-NP-Za-km-z]{33}|[EUk0]Q[\w-]{46}|0x[\da-fA-F]{40,64})$/;

/** True when a text has the form of a public address or id on a chain, which a random secret seldom has. */
export const isOnChain = (text: string): boolean => ON_CHAIN.test(text);

/** True when a text looks like a generated secret, and not like a number, date, UUID, address or dotted name. */
export function looksRandom(text: string): boolean {
  const start = text.slice(0, 512);
  if (!RANDOM.test(start) && !RANDOM_LETTERS.test(start)) return false;
  return ![UUID, ADDRESS, DATE, NUMBER, DOTTED].some((shape) => shape.test(text));
}

/**
 * Lower-case texts of which at least one is part of every name that looksSecret or mayBeSecret accepts, for finding such
 * names in a text.
 */
export function secretNameStems(): string[] {
  const joined = (before: Iterable<string>, after: string): string[] =>
    [...before].flatMap((word) => ['', '_', '-', ' '].map((glue) => `${word}${glue}${after}`));
  const stems = new Set([
    ...ALWAYS,
    ...MAYBE,
    ...joined(BEFORE_KEY, 'key'),
    ...joined(BEFORE_PASS, 'pass'),
    ...joined(BEFORE_PHRASE, 'phrase'),
    ...joined(BEFORE_PHRASE, 'words'),
  ]);
  return [...stems].filter((stem) => ![...stems].some((other) => other !== stem && stem.includes(other)));
}
