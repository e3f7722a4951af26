import { ESCAPE } from './escape-patterns.ts';
import type { MaskRule } from './mask-rule.ts';
import { tokenRules } from './token-rules.ts';
import { base64Forms } from './usual-encodings.ts';
import { WORDS_ABOUT_SECRETS } from './words-in-place-of-a-secret.ts';

/**
 * A position outside of a longer word. The last character of an escape, such as the n of a line end in JSON text, belongs to no
 * word.
 */
const START = `(?:(?<![A-Za-z0-9_-])|(?<=\\\\[A-Za-z0-9_-]|${ESCAPE}))`;
const END = '(?![A-Za-z0-9])';
const QUOTE = '(?:\\\\{0,7}["\'])';
/** Quote, separator and quote between a header's name and its value, in headers, JSON, code, tuples and lists of both. */
const IS = `${QUOTE}?\\]?[ \\t]{0,3}(?:=>|[:=,])[ \\t]{0,3}(?:${QUOTE}value${QUOTE}[ \\t]{0,3}:[ \\t]{0,3})?\\[?b?${QUOTE}?`;
const URLSAFE = '[A-Za-z0-9_-]';
/** A slash as it is, escaped in JSON, or encoded in an address. */
const SLASH = '(?:\\\\?/|%2F)';
const COLON = '(?::|%3A)';
/** Excludes a word about a secret in place of the secret. */
const NO_WORD_ABOUT_IT = `(?!(?:${WORDS_ABOUT_SECRETS.join('|')})(?![A-Za-z0-9+/=_~:-]))`;

/** Characters that may follow the beginning of a token, in lower case: the keyword automaton finds longer words sooner. */
const NEXT = [...'abcdefghijklmnopqrstuvwxyz0123456789_-'];
const HEX = [...'0123456789abcdef'];
const before = (text: string, next: readonly string[]): string[] => next.map((letter) => text + letter);

const token = (id: string, keywords: readonly string[], source: string, reach = 160): MaskRule => ({
  id,
  keywords,
  source: `${START}${source}`,
  flags: '',
  reach,
});

const header = (id: string, names: readonly string[]): MaskRule => ({
  id,
  keywords: names,
  source: `(?:${names.join('|')})${IS}${NO_WORD_ABOUT_IT}([A-Za-z0-9+/=_.~:-]{6,})`,
  flags: 'i',
  reach: 192,
});

/** Prefixes of the host's own tokens (auth/secret.ts, compose/build-stores.ts). */
const OWN = ['plat_', 'sess_', 'local_'];
const OWN_BASE64 = [...new Set(OWN.flatMap(base64Forms))];
const OWN_HEX = OWN.map((text) => Buffer.from(text).toString('hex'));

/** Beginnings of a Discord user's number in base64: those of its first three digits. */
const NUMBERS_BASE64 = [
  ...new Set(
    Array.from({ length: 900 }, (_, i) =>
      Buffer.from(String(100 + i))
        .toString('base64')
        .toLowerCase(),
    ),
  ),
];

const PROVIDERS: readonly MaskRule[] = [
  token('platform-key', ['plat_'], 'plat_[A-Za-z0-9_.-]{16,}'),
  token(
    'platform-token',
    ['sess_', 'local_'],
    `(?:sess_[0-9a-z]{12}_${URLSAFE}{43}|local_${URLSAFE}{43})(?!${URLSAFE})`,
  ),
  {
    id: 'platform-encoded',
    keywords: [...OWN_BASE64, ...OWN_HEX].map((text) => text.toLowerCase()),
    source: `(?:(?:${OWN_BASE64.join('|')})[A-Za-z0-9+/_-]{44,}={0,2}|(?:${OWN_HEX.join('|')})[0-9A-Fa-f]{80,})`,
    flags: '',
    reach: 256,
  },
  {
    id: 'platform-link',
    keywords: ['#enter='],
    source: `#enter=(${URLSAFE}{43})`,
    flags: '',
    reach: 64,
  },
  // The console of AWS prints the secret right after the id.
  token(
    'aws-key-id',
    ['akia', 'asia', 'abia', 'acca'],
    `(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?:[ \\t]{0,3}[,;:|/ \\t][ \\t]{0,3}[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/])|${END})`,
  ),
  token(
    'github',
    ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    '(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\\w{22,})',
  ),
  token(
    'gitlab',
    [
      'glpat-',
      'gldt-',
      'glrt-',
      'glcbt-',
      'glptt-',
      'glft-',
      'glsoat-',
      'glagent-',
      'glimt-',
      'gloas-',
      'glffct-',
      'glrtr-',
    ],
    `gl(?:pat|dt|rtr|rt|cbt|ptt|ft|soat|agent|imt|oas|ffct)-[A-Za-z0-9_.-]{20,}`,
  ),
  token('gitlab-runner', ['gr1348941'], `GR1348941${URLSAFE}{20,}`),
  token(
    'slack',
    [...'abcdeoprs'].map((kind) => `xox${kind}-`).concat('xoxe.', 'xapp-', 'xwfp-'),
    '(?:xox[a-eoprs]|xapp|xwfp)[-.][A-Za-z0-9.%-]{10,}',
  ),
  {
    id: 'slack-webhook',
    keywords: ['hooks.slack.com'],
    source: `hooks\\.slack\\.com${SLASH}(?:services|workflows|triggers)${SLASH}([A-Za-z0-9+/%\\\\]{20,})`,
    flags: 'i',
    reach: 192,
  },
  {
    id: 'discord-webhook',
    keywords: ['discord.com', 'discordapp.com'],
    source: `discord(?:app)?\\.com${SLASH}api${SLASH}(?:v\\d{1,2}${SLASH})?webhooks${SLASH}\\d{15,22}${SLASH}([A-Za-z0-9_-]{40,})`,
    flags: 'i',
    reach: 192,
  },
  token(
    'discord-token',
    NUMBERS_BASE64,
    `[MNO][DTjz][A-Za-z0-9]{20,26}\\.${URLSAFE}{6}\\.${URLSAFE}{27,45}(?!${URLSAFE})`,
  ),
  token(
    'stripe',
    [...['live', 'test', 'prod'].flatMap((kind) => [`sk_${kind}_`, `rk_${kind}_`]), 'whsec_'],
    '(?:[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{24,})',
  ),
  token('google', ['aiza', 'ya29.', 'gocspx-'], `(?:AIza${URLSAFE}{35}|ya29\\.${URLSAFE}{20,}|GOCSPX-${URLSAFE}{28})`),
  token('google-refresh', ['1//0', '1%2f%2f0'], `1(?://|%2[Ff]%2[Ff])0${URLSAFE}{40,}`),
  token(
    'openai-anthropic',
    before('sk-', NEXT),
    `sk-(?:(?:ant|proj|svcacct|admin|or-v1)-${URLSAFE}{20,}|[A-Za-z0-9]{20,})`,
  ),
  token('npm', ['npm_'], `npm_[A-Za-z0-9]{36}${END}`),
  token('pypi', ['pypi-'], `pypi-${URLSAFE}{50,}`),
  token('hugging-face', [...before('hf_', NEXT), 'api_org_'], `(?:hf|api_org)_[A-Za-z0-9]{30,}${END}`),
  token('sendgrid', before('sg.', NEXT), `SG\\.${URLSAFE}{16,32}\\.${URLSAFE}{16,}`),
  token(
    'twilio',
    HEX.flatMap((digit) => before(`sk${digit}`, HEX)),
    `SK[0-9a-f]{32}${END}`,
  ),
  token('digitalocean', ['dop_v1_', 'doo_v1_', 'dor_v1_'], 'do[opr]_v1_[0-9a-f]{64}'),
  token('vault', ['hvs.', 'hvb.'], `hv[sb]\\.${URLSAFE}{24,}`),
  token('age', ['age-secret-key-1'], 'AGE-SECRET-KEY-1[0-9A-Z]{40,}'),
  token('wallet-extended-key', ['xprv', 'yprv', 'zprv', 'tprv'], '[xyzt]prv[1-9A-HJ-NP-Za-km-z]{80,}'),
  {
    id: 'telegram',
    keywords: [...'0123456789'].flatMap((digit) => [...before(`${digit}:a`, NEXT), `${digit}%3aa`]),
    source: `(?<=(?<!\\d)\\d{7,9})\\d(?::|%3[Aa])(A${URLSAFE}{34})(?!${URLSAFE})`,
    flags: '',
    reach: 64,
  },
  {
    id: 'telegram-address',
    keywords: ['api.telegram.org'],
    source: `api\\.telegram\\.org${SLASH}(?:file${SLASH})?bot(?:\\d{6,12}${COLON})?(${URLSAFE}{20,})`,
    flags: 'i',
    reach: 128,
  },
  {
    id: 'webhook-address',
    keywords: ['hooks.zapier.com', 'maker.ifttt.com'],
    source:
      `(?:hooks\\.zapier\\.com${SLASH}hooks${SLASH}catch${SLASH}\\w{1,20}|` +
      `maker\\.ifttt\\.com${SLASH}[\\w/\\\\-]{1,80}?key)${SLASH}(${URLSAFE}{6,})`,
    flags: 'i',
    reach: 192,
  },
  {
    id: 'rpc-provider',
    keywords: ['infura.io/', '.alchemy.com/', 'alchemyapi.io/', '.quiknode.pro/', 'rpc.ankr.com/'],
    source: `(?:infura\\.io(?:/ws)?/v3|\\.alchemy\\.com/v2|alchemyapi\\.io/v2|\\.quiknode\\.pro|rpc\\.ankr\\.com/[a-z_]{2,20})/(${URLSAFE}{24,})`,
    flags: 'i',
    reach: 160,
  },
];

/** Headers and signed addresses of exchanges: the secrets that trading bots print most, and general tools do not list. */
const EXCHANGES: readonly MaskRule[] = [
  header('binance', ['x-mbx-apikey']),
  header('alpaca', ['apca-api-key-id', 'apca-api-secret-key']),
  header('okx-coinbase', [
    ...['key', 'sign', 'passphrase'].flatMap((name) => [`ok-access-${name}`, `cb-access-${name}`]),
    ...['key', 'sign', 'passphrase'].map((name) => `access-${name}`),
  ]),
  header('kucoin', ['kc-api-key', 'kc-api-sign', 'kc-api-passphrase']),
  header('bybit', ['x-bapi-api-key', 'x-bapi-sign']),
  header('kraken-bitmex', ['api-sign', 'api-signature']),
  header('gemini', ['x-gemini-apikey', 'x-gemini-signature']),
  header('bitfinex', ['bfx-apikey', 'bfx-signature']),
  header('coinex-bitmart', ['x-coinex-key', 'x-coinex-sign', 'x-bm-key', 'x-bm-sign']),
  header('bitstamp', ['x-auth-signature']),
  {
    id: 'bitstamp-key',
    keywords: ['x-auth'],
    source: `x-auth${IS}(?:BITSTAMP )?(?=[A-Z]*[0-9])([A-Za-z0-9]{20,})`,
    flags: 'i',
    reach: 160,
  },
  header('kraken-futures', ['authent']),
  {
    // Headers of Gate have generic names, so only the exact forms of its key (an MD5) and signature (SHA-512) count.
    id: 'gate',
    keywords: ['key', 'sign'].flatMap((name) => [':', '=', '"', "'", ']', '\\'].map((next) => `${name}${next}`)),
    source: `${START}(?:(?:KEY|(?<=^[<>] )key)${IS}([0-9a-f]{32})|(?:SIGN|Sign|sign)${IS}([0-9a-f]{128}))(?![0-9A-Za-z])`,
    flags: '',
    reach: 192,
  },
  header('mexc-bingx-phemex', ['x-mexc-apikey', 'x-bx-apikey', 'x-phemex-access-token', 'x-phemex-request-signature']),
  header('dydx-polymarket', [
    ...['dydx', 'poly'].flatMap((name) => [`${name}-api-key`, `${name}_api_key`, `${name}-passphrase`]),
    ...['dydx', 'poly'].flatMap((name) => [`${name}_passphrase`, `${name}-signature`, `${name}_signature`]),
  ]),
  {
    id: 'signed-query',
    keywords: ['', 'x-amz-', 'x-goog-']
      .flatMap((kind) => [`&${kind}signature=`, `?${kind}signature=`])
      .concat('&sig=', '?sig='),
    source: '[&?](?:(?:x-amz-|x-goog-)?signature|sig)=([A-Za-z0-9%+/=_-]{32,})',
    flags: 'i',
    reach: 192,
  },
];

/** A value unlike a word: with a digit or =, or long and in both cases. */
const RANDOM =
  '(?=[A-Za-z._~+/-]{0,200}[0-9=]|(?=[A-Z._~+/-]{0,200}[a-z])(?=[a-z._~+/-]{0,200}[A-Z])[A-Za-z._~+/-]{24})';
const SCHEME =
  '(?:Bearer|Basic|Bot|Token|ApiKey|Api-Key|Key|JWT|OAuth|Negotiate|NTLM|SSWS|GenieKey|Splunk|Klaviyo-API-Key|Zoho-oauthtoken|Discogs token=)';
const LONG_SCHEME = '(?:Digest|Signature|Hawk|AWS4-HMAC-SHA(?:256|512)|deri-hmac-sha256|HMAC[A-Za-z0-9-]{0,20})';

const GENERAL: readonly MaskRule[] = [
  {
    id: 'jwt',
    keywords: before('eyj', NEXT),
    source: `${START}eyJ${URLSAFE}{8,900}\\.${URLSAFE}{4,}(?:\\.${URLSAFE}*)*`,
    flags: '',
    reach: 1024,
    needs: '.',
  },
  {
    id: 'authorization',
    keywords: ['authorization'],
    source: `authorization${IS}(?:${SCHEME}[ ]{1,3}${NO_WORD_ABOUT_IT}([^\\s"'\\\\,;*]+)|${LONG_SCHEME}[ ]{1,3}((?:[^"\\\\]|\\\\[^"'\\\\])+)|(?=[A-Za-z._~+/-]{0,60}[0-9])([A-Za-z0-9._~+/=-]{8,}))`,
    flags: 'i',
    reach: 320,
  },
  {
    id: 'bearer',
    keywords: ['bearer ', 'bearer%20'],
    source: `${START}bearer(?: {1,3}|%20)${RANDOM}([A-Za-z0-9._~+/-]{8,}={0,2})(?![A-Za-z0-9=])`,
    flags: 'i',
    reach: 320,
  },
  {
    id: 'basic',
    keywords: ['basic '],
    source: `${START}basic {1,3}${RANDOM}([A-Za-z0-9+/_-]{8,}={0,2})(?![A-Za-z0-9.])`,
    flags: 'i',
    reach: 320,
  },
  {
    id: 'url-password',
    keywords: ['://', ':\\/\\/'],
    source: ':\\\\?/\\\\?/[^\\s/:@"\'<>]{0,100}:([^\\s/"\'<>]{1,256})(?=@)',
    flags: '',
    reach: 384,
    needs: '@',
  },
  {
    id: 'url-password-encoded',
    keywords: ['%3a%2f%2f'],
    source: '%3A%2F%2F[^\\s:@"\'<>&%]{0,100}%3A([^\\s"\'<>&]{1,256})(?=%40)',
    flags: 'i',
    reach: 384,
  },
  {
    id: 'url-token',
    keywords: ['://', ':\\/\\/'],
    source: `:\\\\?/\\\\?/(${URLSAFE}{20,256})(?=@)`,
    flags: '',
    reach: 320,
    needs: '@',
  },
  {
    id: 'account-key',
    keywords: ['accountkey='],
    source: 'accountkey=([A-Za-z0-9+/]{40,}={0,2})',
    flags: 'i',
    reach: 192,
  },
  {
    // Key files of Kubernetes and Docker.
    id: 'client-key',
    keywords: ['client-key-data'],
    source: `client-key-data${IS}([A-Za-z0-9+/]{40,}={0,2})`,
    flags: 'i',
    reach: 1024,
  },
  {
    id: 'docker-auth',
    keywords: ['auth": "', 'auth":"', 'auth\\": \\"', 'auth\\":\\"'],
    source: `(?<=["'])auth\\\\?" ?: ?\\\\?"${RANDOM}([A-Za-z0-9+/]{12,}={0,2})(?=\\\\?")`,
    flags: '',
    reach: 320,
  },
  {
    id: 'curl-user',
    keywords: ['-u ', '--user '],
    source: `(?<=curl .{0,200})(?:-u|--user) {1,3}${QUOTE}?[^\\s:"']{1,64}:(?!\\d{1,5}(?:[\\s"']|$))([^\\s"']{3,128})`,
    flags: '',
    reach: 256,
  },
  {
    id: 'sidekiq',
    keywords: ['contribsys__com'],
    source: `contribsys__com${IS}([0-9a-f]{8}:[0-9a-f]{8})(?![0-9a-f])`,
    flags: 'i',
    reach: 96,
  },
  {
    id: 'attribute',
    keywords: ['password" value="', 'secret" value="', 'token" value="', 'key" value="'],
    source: `(?<=key="[^"]{0,64})(?:password|secret|(?:api|access|auth)_?-?(?:key|token))" value="${NO_WORD_ABOUT_IT}([^"$%{]{3,256})`,
    flags: 'i',
    reach: 320,
  },
  {
    id: 'cookie',
    keywords: ['cookie'],
    source:
      'cookie(?:\\\\{0,7}["\'])?[ \\t]{0,3}[:=,][ \\t]{0,3}(?:\\\\{0,7}["\'])?((?=[\\w.-]{1,64}=)(?:[^"\'\\\\]|\\\\[^"\'\\\\])+)',
    flags: 'i',
    reach: 512,
  },
];

/**
 * Names of parties that sign with a key: `deployer_key`, `hot wallet key`. Names such as `private_key` are in
 * secret-names.ts.
 */
const SIGNERS =
  'deployer signer owner wallet account relayer operator executor keeper trader bot minter funder evm eth'.split(' ');
const WALLET_KEY = '(?:0x)?[0-9a-f]{64}(?![0-9a-z])';

/** A bare wallet key looks like any hash: it counts only right after words that name it. */
const WALLETS: readonly MaskRule[] = [
  {
    id: 'wallet-private-key',
    keywords: ['private key', 'privkey', 'secret key', 'wallet key'],
    source: `(?:private|secret|wallet|priv) ?key[ \\t"']{0,3}(?:(?:is|was|used|loaded|for account|=|:|->)[ \\t"']{0,3})?(${WALLET_KEY})`,
    flags: 'i',
    reach: 160,
  },
  {
    id: 'wallet-signer-key',
    keywords: SIGNERS.flatMap((who) => ['_', '-', ' ', ''].flatMap((glue) => [`${who}${glue}key`, `${who}${glue}pk`])),
    source: `(?:${SIGNERS.join('|')})[_ -]?(?:key|pk)${IS}(${WALLET_KEY})`,
    flags: 'i',
    reach: 160,
  },
];

/** All rules except the two that need more than a pattern: key = value (key-value.ts) and PEM blocks (pem.ts). */
export const MASK_RULES: readonly MaskRule[] = [
  ...PROVIDERS,
  ...EXCHANGES,
  ...WALLETS,
  ...GENERAL,
  ...tokenRules(START, END),
];
