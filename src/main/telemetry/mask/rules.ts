/**
 * What secrets look like, as data (wire.md section 10, performance.md section 3.1). A rule is tried only where one of
 * its keywords stands: its pattern must begin there (a look-behind may see up to 256 characters before) and sees `reach`
 * characters from there on; a match that fills them goes on to the end of the value. What is masked is the last group
 * that matched, which must be at the end of the match, or the whole match without groups.
 */
export interface MaskRule {
  readonly id: string;
  /** Lower case; found in any case. */
  readonly keywords: readonly string[];
  readonly source: string;
  readonly flags: '' | 'i';
  /** Characters from the keyword's start on that the pattern may look at, at most 1024. */
  readonly reach: number;
  /** A text without which no match is possible, looked for within `reach` first. */
  readonly needs?: string;
}

/** Not inside a longer word. An escape such as the n of \n in JSON text does not count as one. */
const START = '(?<!(?<!\\\\)[A-Za-z0-9_-])';
const END = '(?![A-Za-z0-9])';
/** Quote, separator and quote between a header's name and its value, in headers, JSON, code and tuples. */
const IS = '(?:\\\\{0,7}["\'])?\\]?[ \\t]{0,3}(?:=>|[:=,])[ \\t]{0,3}\\[?b?(?:\\\\{0,7}["\'])?';
const URLSAFE = '[A-Za-z0-9_-]';

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
  source: `(?:${names.join('|')})${IS}([A-Za-z0-9+/=_.~:-]{6,})`,
  flags: 'i',
  reach: 192,
});

const PROVIDERS: readonly MaskRule[] = [
  token('platform-key', ['plat_'], 'plat_[A-Za-z0-9_.-]{16,}'),
  token('aws-key-id', ['akia', 'asia', 'abia', 'acca'], `(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}${END}`),
  token(
    'github',
    ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    '(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\\w{22,})',
  ),
  token(
    'gitlab',
    ['glpat-', 'gldt-', 'glrt-', 'glcbt-', 'glptt-', 'glft-', 'glsoat-', 'glagent-', 'glimt-'],
    `gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt)-[A-Za-z0-9_.-]{20,}`,
  ),
  token(
    'slack',
    ['xoxa-', 'xoxb-', 'xoxe-', 'xoxe.', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-'],
    '(?:xox[abeoprs]|xapp)[-.][A-Za-z0-9.-]{10,}',
  ),
  {
    id: 'slack-webhook',
    keywords: ['hooks.slack.com/', 'hooks.slack.com\\/'],
    source: 'hooks\\.slack\\.com\\\\?/(?:services|workflows|triggers)\\\\?/([A-Za-z0-9+/\\\\]{20,})',
    flags: 'i',
    reach: 192,
  },
  {
    id: 'discord-webhook',
    keywords: ['discord.com/api/', 'discordapp.com/api/'],
    source: 'discord(?:app)?\\.com/api/(?:v\\d{1,2}/)?webhooks/\\d{15,22}/([A-Za-z0-9_-]{40,})',
    flags: 'i',
    reach: 192,
  },
  token(
    'stripe',
    ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'whsec_'],
    '(?:[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{24,})',
  ),
  token('google', ['aiza', 'ya29.', 'gocspx-'], `(?:AIza${URLSAFE}{35}|ya29\\.${URLSAFE}{20,}|GOCSPX-${URLSAFE}{28})`),
  token('openai-anthropic', ['sk-'], `sk-(?:(?:ant|proj|svcacct|admin|or-v1)-${URLSAFE}{20,}|[A-Za-z0-9]{20,})`),
  token('npm', ['npm_'], `npm_[A-Za-z0-9]{36}${END}`),
  token('pypi', ['pypi-'], `pypi-${URLSAFE}{50,}`),
  token('hugging-face', ['hf_'], `hf_[A-Za-z0-9]{30,}${END}`),
  token('sendgrid', ['sg.'], `SG\\.${URLSAFE}{16,32}\\.${URLSAFE}{16,}`),
  token(
    'twilio',
    [...'0123456789abcdef'].map((digit) => `sk${digit}`),
    `SK[0-9a-f]{32}${END}`,
  ),
  token('digitalocean', ['dop_v1_', 'doo_v1_', 'dor_v1_'], 'do[opr]_v1_[0-9a-f]{64}'),
  token('vault', ['hvs.', 'hvb.'], `hv[sb]\\.${URLSAFE}{24,}`),
  token('age', ['age-secret-key-1'], 'AGE-SECRET-KEY-1[0-9A-Z]{40,}'),
  token('wallet-extended-key', ['xprv', 'yprv', 'zprv', 'tprv'], '[xyzt]prv[1-9A-HJ-NP-Za-km-z]{80,}'),
  {
    id: 'telegram',
    keywords: [':aa', '%3aaa'],
    source: `(?<=(?<!\\d)\\d{8,10})(?::|%3A)(AA${URLSAFE}{33})(?!${URLSAFE})`,
    flags: 'i',
    reach: 64,
  },
  {
    id: 'rpc-provider',
    keywords: ['infura.io/', '.alchemy.com/', 'alchemyapi.io/', '.quiknode.pro/', 'rpc.ankr.com/'],
    source: `(?:infura\\.io(?:/ws)?/v3|\\.alchemy\\.com/v2|alchemyapi\\.io/v2|\\.quiknode\\.pro|rpc\\.ankr\\.com/[a-z_]{2,20})/(${URLSAFE}{24,})`,
    flags: 'i',
    reach: 160,
  },
];

/** Exchanges' headers and signed addresses: what trading bots print first, and no general tool lists. */
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
  header('mexc-bingx-phemex', ['x-mexc-apikey', 'x-bx-apikey', 'x-phemex-access-token', 'x-phemex-request-signature']),
  header('dydx-polymarket', [
    ...['dydx', 'poly'].flatMap((name) => [`${name}-api-key`, `${name}_api_key`, `${name}-passphrase`]),
    ...['dydx', 'poly'].flatMap((name) => [`${name}_passphrase`, `${name}-signature`, `${name}_signature`]),
  ]),
  {
    id: 'signed-query',
    keywords: ['&signature=', '?signature='],
    source: '[&?]signature=([A-Za-z0-9%+/=_-]{32,})',
    flags: 'i',
    reach: 192,
  },
];

/** A value that words do not look like: a digit or = somewhere, or long and in both cases. */
const RANDOM =
  '(?=[A-Za-z._~+/-]{0,200}[0-9=]|(?=[A-Z._~+/-]{0,200}[a-z])(?=[a-z._~+/-]{0,200}[A-Z])[A-Za-z._~+/-]{24})';
const SCHEME = '(?:Bearer|Basic|Token|ApiKey|Api-Key|Key|JWT|OAuth|Negotiate|NTLM)';
const LONG_SCHEME = '(?:Digest|Signature|Hawk|AWS4-HMAC-SHA(?:256|512)|HMAC[A-Za-z0-9-]{0,20})';

const GENERAL: readonly MaskRule[] = [
  {
    id: 'jwt',
    keywords: ['eyj'],
    source: `${START}eyJ${URLSAFE}{8,900}\\.${URLSAFE}{4,}(?:\\.${URLSAFE}*)*`,
    flags: '',
    reach: 1024,
    needs: '.',
  },
  {
    id: 'authorization',
    keywords: ['authorization'],
    source: `authorization${IS}(?:${SCHEME}[ ]{1,3}([^\\s"'\\\\,;*]+)|${LONG_SCHEME}[ ]{1,3}((?:[^"\\\\]|\\\\[^"'\\\\])+)|(?=[A-Za-z._~+/-]{0,60}[0-9])([A-Za-z0-9._~+/=-]{8,}))`,
    flags: 'i',
    reach: 320,
  },
  {
    id: 'bearer',
    keywords: ['bearer ', 'bearer%20'],
    source: `${START}bearer(?: {1,3}|%20)${RANDOM}([A-Za-z0-9._~+/=-]{8,})`,
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
    id: 'url-token',
    keywords: ['://', ':\\/\\/'],
    source: `:\\\\?/\\\\?/(${URLSAFE}{20,256})(?=@)`,
    flags: '',
    reach: 320,
    needs: '@',
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

/** All rules but the two that need more than a pattern: key = value (key-value.ts) and PEM blocks (pem.ts). */
export const MASK_RULES: readonly MaskRule[] = [...PROVIDERS, ...EXCHANGES, ...GENERAL];
