import { SeededRandom } from './seeded-random.ts';

/**
 * Made-up secrets in the forms that their providers publish, and the lines in which programs print them. Written from the
 * providers' documents and from what bots print, without a look at the masking rules: it is what these are measured by.
 */
export interface SecretSample {
  readonly category: string;
  readonly line: string;
  /** What must not be readable in the masked line. */
  readonly secret: string;
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGIT = '0123456789';
const ALNUM = LOWER + UPPER + DIGIT;
const URLSAFE = `${ALNUM}-_`;
const BASE64 = `${ALNUM}+/`;
const HEX = `${DIGIT}abcdef`;
const BASE58 = [...ALNUM].filter((c) => !'0OIl'.includes(c)).join('');
const BASE32 = `${UPPER}234567`;

type Make = (random: SeededRandom) => string;

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const base64url = (text: string): string => Buffer.from(text).toString('base64url');

/** A password as people and generators make them: at least one letter and one digit. */
function password(r: SeededRandom): string {
  const words = ['tiger', 'Winter', 'moonlight', 'hunter', 'Trader', 'blue', 'correct', 'horse'];
  const made = [
    `${r.pick(words)}${r.pick(['!', '#', '_', ''])}${10 + r.below(9990)}`,
    r.text(ALNUM, 12 + r.below(12)),
    `${r.text(ALNUM, 8)}${r.pick(['$', '!', '*', '^', '~'])}${r.text(ALNUM, 6)}7a`,
    r.text(HEX, 32),
  ];
  return r.pick(made);
}

function jwt(r: SeededRandom): string {
  const header = base64url(JSON.stringify({ alg: r.pick(['HS256', 'RS256', 'ES256', 'EdDSA']), typ: 'JWT' }));
  const claims = {
    sub: r.text(DIGIT, 9),
    iat: 1_700_000_000 + r.below(9e7),
    scope: r.pick(['trade', 'read', 'a b c']),
  };
  return `${header}.${base64url(JSON.stringify(claims))}.${r.text(URLSAFE, r.pick([43, 86, 342]))}`;
}

/** A version 4 UUID. */
export function uuid(r: SeededRandom): string {
  const part = (length: number): string => r.text(HEX, length);
  return `${part(8)}-${part(4)}-4${part(3)}-${r.pick(['8', '9', 'a', 'b'])}${part(3)}-${part(12)}`;
}

/** A token that is known by its own form, wherever it stands. `name` is how settings and programs call it. */
interface Token {
  readonly name: string;
  readonly make: Make;
  /** The secret part of it; all of it by default. */
  readonly core?: (token: string) => string;
}

/** What follows a public part. */
const behind =
  (mark: string) =>
  (token: string): string =>
    token.slice(token.lastIndexOf(mark) + 1);

const TOKENS: Readonly<Record<string, readonly Token[]>> = {
  platform: [
    {
      name: 'PLATFORM_API_KEY',
      make: (r) => `plat_${r.text(`${DIGIT}abcdefghjkmnpqrstvwxyz`, 12)}_${r.text(URLSAFE, 43)}`,
    },
    { name: 'session', make: (r) => `sess_${r.text(`${DIGIT}abcdefghjkmnpqrstvwxyz`, 12)}_${r.text(URLSAFE, 43)}` },
    { name: 'token', make: (r) => `local_${r.text(URLSAFE, 43)}` },
  ],
  aws: [{ name: 'AWS_ACCESS_KEY_ID', make: (r) => `${r.pick(['AKIA', 'ASIA'])}${r.text(BASE32, 16)}` }],
  github: [
    { name: 'GITHUB_TOKEN', make: (r) => `${r.pick(['ghp_', 'gho_', 'ghu_', 'ghs_'])}${r.text(ALNUM, 36)}` },
    { name: 'GH_REFRESH_TOKEN', make: (r) => `ghr_${r.text(ALNUM, 76)}` },
    { name: 'GITHUB_TOKEN', make: (r) => `github_pat_${r.text(ALNUM, 22)}_${r.text(ALNUM, 59)}` },
  ],
  gitlab: [
    { name: 'GITLAB_TOKEN', make: (r) => `glpat-${r.text(URLSAFE, 20)}` },
    { name: 'CI_DEPLOY_PASSWORD', make: (r) => `gldt-${r.text(URLSAFE, 20)}` },
    { name: 'RUNNER_TOKEN', make: (r) => `glrt-${r.text(URLSAFE, 20)}` },
    {
      name: 'GITLAB_PAT',
      make: (r) => `glpat-${r.text(URLSAFE, 27)}.${r.text(`${DIGIT}${LOWER}`, 2)}.${r.text(`${DIGIT}${LOWER}`, 9)}`,
    },
    { name: 'TRIGGER_TOKEN', make: (r) => `glptt-${r.text(HEX, 40)}` },
    { name: 'FEED_TOKEN', make: (r) => `glft-${r.text(URLSAFE, 20)}` },
    { name: 'JOB_TOKEN', make: (r) => `glcbt-${r.text(HEX, 2)}_${r.text(URLSAFE, 20)}` },
    { name: 'OAUTH_SECRET', make: (r) => `gloas-${r.text(HEX, 64)}` },
    { name: 'REGISTRATION_TOKEN', make: (r) => `GR1348941${r.text(URLSAFE, 20)}` },
  ],
  slack: [
    { name: 'SLACK_BOT_TOKEN', make: (r) => `xoxb-${r.text(DIGIT, 12)}-${r.text(DIGIT, 13)}-${r.text(ALNUM, 24)}` },
    {
      name: 'SLACK_USER_TOKEN',
      make: (r) => `xoxp-${r.text(DIGIT, 12)}-${r.text(DIGIT, 12)}-${r.text(DIGIT, 13)}-${r.text(HEX, 32)}`,
    },
    {
      name: 'SLACK_APP_TOKEN',
      make: (r) => `xapp-1-A${r.text(UPPER + DIGIT, 10)}-${r.text(DIGIT, 13)}-${r.text(HEX, 64)}`,
    },
    { name: 'SLACK_CONFIG', make: (r) => `xoxe.xoxp-1-${r.text(ALNUM, 163)}` },
    {
      name: 'webhook',
      make: (r) =>
        `https://hooks.slack.com/services/T${r.text(UPPER + DIGIT, 10)}/B${r.text(UPPER + DIGIT, 10)}/${r.text(ALNUM, 24)}`,
      core: behind('/'),
    },
  ],
  stripe: [
    {
      name: 'STRIPE_KEY',
      make: (r) => `${r.pick(['sk', 'rk'])}_${r.pick(['live', 'test'])}_${r.text(ALNUM, r.pick([24, 99]))}`,
    },
    { name: 'STRIPE_WEBHOOK', make: (r) => `whsec_${r.text(ALNUM, 32)}` },
  ],
  google: [
    { name: 'GOOGLE_API_KEY', make: (r) => `AIza${r.text(URLSAFE, 35)}` },
    { name: 'CLIENT', make: (r) => `GOCSPX-${r.text(URLSAFE, 28)}` },
    { name: 'GOOGLE_TOKEN', make: (r) => `ya29.${r.text(URLSAFE, 140)}` },
    { name: 'REFRESH', make: (r) => `1//0${r.text(DIGIT, 1)}${r.text(URLSAFE, 98)}` },
  ],
  openai: [
    { name: 'OPENAI_API_KEY', make: (r) => `sk-${r.text(ALNUM, 20)}T3BlbkFJ${r.text(ALNUM, 20)}` },
    { name: 'OPENAI_API_KEY', make: (r) => `sk-proj-${r.text(URLSAFE, 74)}T3BlbkFJ${r.text(URLSAFE, 74)}` },
    { name: 'OPENAI_API_KEY', make: (r) => `sk-svcacct-${r.text(URLSAFE, 74)}T3BlbkFJ${r.text(URLSAFE, 74)}` },
    { name: 'OPENAI_ADMIN_KEY', make: (r) => `sk-admin-${r.text(URLSAFE, 58)}T3BlbkFJ${r.text(URLSAFE, 58)}` },
  ],
  anthropic: [
    { name: 'ANTHROPIC_API_KEY', make: (r) => `sk-ant-api03-${r.text(URLSAFE, 93)}AA` },
    { name: 'ANTHROPIC_ADMIN_KEY', make: (r) => `sk-ant-admin01-${r.text(URLSAFE, 93)}AA` },
  ],
  npm: [{ name: 'NPM_TOKEN', make: (r) => `npm_${r.text(ALNUM, 36)}` }],
  pypi: [{ name: 'TWINE_PASSWORD', make: (r) => `pypi-AgEIcHlwaS5vcmc${r.text(URLSAFE, 70 + r.below(100))}` }],
  'hugging-face': [
    { name: 'HF_TOKEN', make: (r) => `hf_${r.text(LOWER + UPPER, 34)}` },
    { name: 'HF_ORG', make: (r) => `api_org_${r.text(LOWER + UPPER, 34)}` },
  ],
  sendgrid: [{ name: 'SENDGRID_API_KEY', make: (r) => `SG.${r.text(URLSAFE, 22)}.${r.text(URLSAFE, 43)}` }],
  twilio: [{ name: 'TWILIO_API_KEY', make: (r) => `SK${r.text(HEX, 32)}` }],
  telegram: [
    {
      name: 'TELEGRAM_BOT_TOKEN',
      make: (r) => `${1 + r.below(9)}${r.text(DIGIT, r.pick([8, 9]))}:AA${r.text(URLSAFE, 33)}`,
      core: behind(':'),
    },
  ],
  discord: [
    {
      name: 'DISCORD_TOKEN',
      make: (r) =>
        `${base64url(`${1 + r.below(9)}${r.text(DIGIT, r.pick([17, 18]))}`)}.${r.pick(['G', 'X', 'Y'])}${r.text(URLSAFE, 5)}.${r.text(URLSAFE, r.pick([27, 38]))}`,
    },
    {
      name: 'webhook',
      make: (r) => `https://discord.com/api/webhooks/${r.text(DIGIT, 18)}/${r.text(URLSAFE, 68)}`,
      core: behind('/'),
    },
  ],
  jwt: [{ name: 'id_token', make: jwt }],
};

/** A line that is masked by what stands around the secret: its name, header or scheme. */
type Line = (r: SeededRandom) => { readonly line: string; readonly secret: string };

const named =
  (name: string, make: Make): Line =>
  (r) => {
    const secret = make(r);
    return { line: inContext(r, name, secret, true), secret };
  };

const around =
  (make: Make, wrap: (secret: string, r: SeededRandom) => string): Line =>
  (r) => {
    const secret = make(r);
    return { line: wrap(secret, r), secret };
  };

const aws40 = (r: SeededRandom): string => r.text(BASE64, 40);
const hex64 = (r: SeededRandom): string => r.text(HEX, 64);

/** Words of the published English list of BIP-39. */
const WORDS = (
  'abandon ability able about above absent absorb abstract absurd abuse access accident account accuse achieve acid ' +
  'legal winner thank year wave sausage worth useful letter advice cage zoo upgrade vault vivid voyage walnut zebra ' +
  'ozone drill grab fiber curtain grace pudding thrive mule trigger tide test junk ocean orbit orchard random rapid'
).split(' ');
const phrase = (r: SeededRandom): string =>
  Array.from({ length: r.pick([12, 15, 18, 24]) }, () => r.pick(WORDS)).join(' ');

const header =
  (name: string, make: Make): Line =>
  (r) => {
    const secret = make(r);
    const other = r.pick([
      ['Content-Type', 'application/json'],
      ['Accept', '*/*'],
      ['User-Agent', 'python-requests/2.32.3'],
    ]);
    const line = r.pick([
      `${name}: ${secret}`,
      `> ${name.toLowerCase()}: ${secret}`,
      `${stamp(r)} DEBUG urllib3 send: b'GET /api HTTP/1.1\\r\\n${other[0]}: ${other[1]}\\r\\n${name}: ${secret}\\r\\n\\r\\n'`,
      `request headers: {'${other[0]}': '${other[1]}', '${name}': '${secret}'}`,
      `{"level":"debug","msg":"request","headers":{"${name}":"${secret}","${other[0]}":"${other[1]}"}}`,
      `curl -X POST https://api.example.com/v1/order -H "${name}: ${secret}" -H "${other[0]}: ${other[1]}"`,
      `headers=[('${other[0]}', '${other[1]}'), ('${name}', '${secret}')]`,
      `{ '${other[0]}': '${other[1]}', '${name}': '${secret}' }`,
      `header[${name}]=${secret}`,
      `{"log":{"entries":[{"request":{"headers":[{"name":"${name}","value":"${secret}"}]}}]}}`,
      JSON.stringify({ _metric: 'request', value: 200, headers: { [name]: secret } }),
    ]);
    return { line, secret };
  };

/** Name and form of what exchanges ask for in headers, by their documents. */
const EXCHANGE_HEADERS: readonly (readonly [string, Make])[] = [
  ['X-MBX-APIKEY', (r) => r.text(ALNUM, 64)],
  ['APCA-API-KEY-ID', (r) => `${r.pick(['PK', 'AK'])}${r.text(UPPER + DIGIT, 18)}`],
  ['APCA-API-SECRET-KEY', (r) => r.text(ALNUM, 40)],
  ['OK-ACCESS-KEY', uuid],
  ['OK-ACCESS-SIGN', (r) => `${r.text(BASE64, 43)}=`],
  ['OK-ACCESS-PASSPHRASE', (r) => r.text(ALNUM, 12)],
  ['CB-ACCESS-KEY', (r) => r.text(HEX, 32)],
  ['CB-ACCESS-SIGN', (r) => `${r.text(BASE64, 43)}=`],
  ['CB-ACCESS-PASSPHRASE', (r) => r.text(`${LOWER}${DIGIT}`, 11)],
  ['KC-API-KEY', (r) => r.text(HEX, 24)],
  ['KC-API-SIGN', (r) => `${r.text(BASE64, 43)}=`],
  ['KC-API-PASSPHRASE', (r) => `${r.text(BASE64, 43)}=`],
  ['ACCESS-KEY', (r) => `bg_${r.text(HEX, 32)}`],
  ['ACCESS-SIGN', (r) => `${r.text(BASE64, 43)}=`],
  ['ACCESS-PASSPHRASE', (r) => r.text(ALNUM, 10)],
  ['X-BAPI-API-KEY', (r) => r.text(ALNUM, 18)],
  ['X-BAPI-SIGN', hex64],
  ['API-Key', (r) => r.text(BASE64, 56)],
  ['API-Sign', (r) => `${r.text(BASE64, 86)}==`],
  ['KEY', (r) => r.text(HEX, 32)],
  ['SIGN', (r) => r.text(HEX, 128)],
  ['X-GEMINI-APIKEY', (r) => `account-${r.text(ALNUM, 20)}`],
  ['X-GEMINI-SIGNATURE', (r) => r.text(HEX, 96)],
  ['bfx-apikey', (r) => r.text(ALNUM, 43)],
  ['bfx-signature', (r) => r.text(HEX, 96)],
  ['api-signature', hex64],
  ['X-MEXC-APIKEY', (r) => `mx0${r.text(ALNUM, 20)}`],
  ['X-BX-APIKEY', (r) => r.text(ALNUM, 64)],
  ['x-phemex-access-token', uuid],
  ['x-phemex-request-signature', hex64],
  ['X-COINEX-KEY', (r) => r.text(UPPER + DIGIT, 32)],
  ['X-COINEX-SIGN', hex64],
  ['X-BM-KEY', (r) => r.text(HEX, 40)],
  ['X-BM-SIGN', hex64],
  ['X-Auth', (r) => `BITSTAMP ${r.text(ALNUM, 32)}`],
  ['X-Auth-Signature', hex64],
  ['x-auth-key', (r) => r.text(ALNUM, 32)],
  ['x-api-key', (r) => r.text(ALNUM, 24)],
  ['x-api-signature', hex64],
  ['POLY_API_KEY', uuid],
  ['POLY_PASSPHRASE', hex64],
  ['POLY_SIGNATURE', (r) => `${r.text(URLSAFE, 43)}=`],
  ['DYDX-PASSPHRASE', (r) => r.text(URLSAFE, 20)],
  ['DYDX-SIGNATURE', hex64],
  ['Authent', (r) => `${r.text(BASE64, 86)}==`],
];

const PEM_KINDS = ['RSA PRIVATE KEY', 'EC PRIVATE KEY', 'PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'ENCRYPTED PRIVATE KEY'];

const pem: Line = (r) => {
  const kind = r.pick(PEM_KINDS);
  const body = Array.from({ length: 3 + r.below(20) }, () => r.text(BASE64, 64));
  const last = `${r.text(BASE64, 22)}==`;
  const glue = r.pick(['\\n', '\\r\\n', '\n']);
  const block = [`-----BEGIN ${kind}-----`, ...body, last, `-----END ${kind}-----`].join(glue);
  const secret = body[1] ?? last;
  if (glue === '\n')
    return { line: `${r.pick(['', 'key:\n', `${stamp(r)} INFO loaded `])}${block}\nnext line`, secret };
  const line = r.pick([
    JSON.stringify({
      type: 'service_account',
      private_key: block.replaceAll('\\r', '\r').replaceAll('\\n', '\n'),
      client: 'x',
    }),
    `signing with '${block}\\n' for api.coinbase.com`,
    `CDP_KEY="${block}"`,
  ]);
  return { line, secret };
};

const LINES: Readonly<Record<string, readonly Line[]>> = {
  aws: [
    named('AWS_SECRET_ACCESS_KEY', aws40),
    named('aws_secret_access_key', aws40),
    named('SecretAccessKey', aws40),
    named('AWS_SESSION_TOKEN', (r) => `IQoJb3JpZ2luX2Vj${r.text(BASE64, 300)}==`),
    around(aws40, (s, r) => `AKIA${r.text(BASE32, 16)},${s}`),
    around(
      (r) => r.text(BASE64, 200),
      (s) =>
        `GET https://b.s3.amazonaws.com/k?X-Amz-Date=20260101T000000Z&X-Amz-Security-Token=${encodeURIComponent(s)}&X-Amz-Expires=60`,
    ),
    around(
      hex64,
      (s) =>
        `https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=60&X-Amz-SignedHeaders=host&X-Amz-Signature=${s}`,
    ),
  ],
  twilio: [named('TWILIO_AUTH_TOKEN', (r) => r.text(HEX, 32)), named('auth_token', (r) => r.text(HEX, 32))],
  discord: [named('DISCORD_CLIENT_SECRET', (r) => r.text(URLSAFE, 32))],
  telegram: [
    around(
      (r) => `AA${r.text(URLSAFE, 33)}`,
      (s, r) => `POST https://api.telegram.org/bot${1 + r.below(9)}${r.text(DIGIT, 9)}:${s}/sendMessage 200`,
    ),
  ],
  authorization: [
    header('Authorization', (r) => `Bearer ${r.text(URLSAFE, 40)}`),
    header('Authorization', (r) => `Basic ${base64(`user${r.below(99)}:${password(r)}`)}`),
    header('Authorization', (r) => `Token ${r.text(HEX, 40)}`),
    header('Proxy-Authorization', (r) => `Basic ${base64(`proxy:${password(r)}`)}`),
    header('Authorization', (r) => `Bot ${r.text(ALNUM, 26)}.${r.text(URLSAFE, 6)}.${r.text(URLSAFE, 38)}`),
    around(
      (r) => r.text(`${ALNUM}-._~`, 32 + r.below(40)),
      (s) => `using bearer ${s}`,
    ),
    around(
      (r) => r.text(ALNUM, 32),
      (s, r) => `${stamp(r)} ERROR 401 for Bearer ${s}`,
    ),
    around(
      (r) => base64(`bot:${password(r)}`),
      (s) => `auth header was Basic ${s}`,
    ),
    around(hex64, (s) => `Authorization: deri-hmac-sha256 id=AbCdEf,ts=1700000000000,nonce=abc,sig=${s}`),
    around(
      hex64,
      (s) =>
        `Authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20260101/us-east-1/s3/aws4_request, SignedHeaders=host;range;x-amz-date, Signature=${s}`,
    ),
  ],
  'url-user-info': [
    ...[
      'postgres',
      'postgresql',
      'mysql',
      'mongodb+srv',
      'redis',
      'rediss',
      'amqp',
      'https',
      'http',
      'ftp',
      'wss',
      'smtp',
    ].map(
      (scheme): Line =>
        around(password, (s, r) => {
          const url = `${scheme}://${r.pick(['bot', 'root', 'trader', ''])}:${encodeURIComponent(s)}@${r.pick(['db', 'localhost:5432', '10.0.0.7:6379', 'h.example.com'])}/${r.pick(['bots', '0', ''])}`;
          return r.pick([
            `connecting to ${url}`,
            `DATABASE_URL=${url}`,
            `{"level":"info","message":"connect","url":"${url}"}`,
            `sqlalchemy.exc.OperationalError: could not connect to "${url}"`,
            `  dsn: '${url}'`,
            `Error: connect ECONNREFUSED ${url} at TCPConnectWrap.afterConnect`,
          ]);
        }),
    ),
    around(
      (r) => r.text(HEX, 40),
      (s) => `git clone https://${s}@git.example.com/me/bot.git`,
    ),
    around(
      (r) => r.text(ALNUM, 24),
      (s) => `Cloning https://oauth2:${s}@gitlab.example.com/x/y.git`,
    ),
  ],
  pem: [pem, pem, pem],
  'key-value': [
    ...[
      'password',
      'PASSWORD',
      'db_password',
      'DB_PASS',
      'passwd',
      'user_password',
      'secret',
      'client_secret',
      'apiSecret',
      'api_secret',
      'API_SECRET',
      'secretKey',
      'secret_key',
      'BINANCE_SECRET_KEY',
      'passphrase',
      'api_passphrase',
      'webhook_secret',
      'signing_key',
      'encryption_key',
      'credentials',
      'smtp_password',
      'private_key',
      'exchange.secret',
    ].map((name) => named(name, password)),
    ...[
      'api_key',
      'apiKey',
      'API_KEY',
      'apikey',
      'BINANCE_API_KEY',
      'access_token',
      'accessToken',
      'refresh_token',
      'auth_token',
      'bot_token',
      'access_key',
      'x-api-key',
      'polygon_api_key',
      'token',
      'TOKEN',
      'session_token',
      'id_token',
    ].map((name) => named(name, (r) => r.text(r.pick([ALNUM, HEX, URLSAFE]), 32 + r.below(33)))),
    around(
      (r) => r.text(ALNUM, 32),
      (s, r) => `GET https://api.example.com/v2/aggs?ticker=AAPL&apiKey=${s}&limit=${r.below(500)} HTTP/1.1`,
    ),
    around(
      (r) => r.text(ALNUM, 24),
      (s) => `POST /login user=bob&password=${s}&remember=1`,
    ),
    around(password, (s) => `mysql --user root --password ${s} --host db`),
    around(password, (s) => `<credentials><user>bot</user><password>${s}</password></credentials>`),
    around(
      hex64,
      (s, r) => `GET /api/v3/order?symbol=BTCUSDT&timestamp=${1_700_000_000_000 + r.below(1e9)}&signature=${s}`,
    ),
    around(password, (s) => `Account(user='bot', password='${s}', timeout=30)`),
    around(password, (s) => `config = {'exchange': 'binance', 'secret': '${s}', 'enableRateLimit': True}`),
  ],
  'cookie-session': [
    header('Cookie', (r) => `session=${r.text(URLSAFE, 40)}`),
    header('Set-Cookie', (r) => `sid=${r.text(ALNUM, 32)}`),
    named('session_id', (r) => r.text(ALNUM, 32)),
    named('sessionid', (r) => r.text(HEX, 32)),
    named('cookie', (r) => r.text(ALNUM, 40)),
    named('csrf_token', (r) => r.text(ALNUM, 64)),
  ],
  'seed-phrase': [
    named('mnemonic', phrase),
    named('MNEMONIC', phrase),
    named('seed_phrase', phrase),
    named('wallet_mnemonic', phrase),
    around(phrase, (s) => `seed phrase: ${s}`),
    around(phrase, (s) => `Your recovery phrase: "${s}"`),
    around(phrase, (s, r) => `${stamp(r)} WARN mnemonic=${s}`),
    around(phrase, (s) => `export const wallet = { mnemonic: '${s}', index: 0 }`),
  ],
  'exchange-header': EXCHANGE_HEADERS.map(([name, make]) => header(name, make)),
  'wallet-key': [
    named('private_key', (r) => `0x${hex64(r)}`),
    named('PRIVATE_KEY', hex64),
    named('WALLET_PRIVATE_KEY', (r) => `0x${hex64(r)}`),
    named('privateKey', (r) => `0x${hex64(r)}`),
    named('DEPLOYER_KEY', (r) => `0x${hex64(r)}`),
    around(
      (r) => `0x${hex64(r)}`,
      (s) => `private key: ${s}`,
    ),
    around(
      (r) => `0x${hex64(r)}`,
      (s) => `Private Key ${s}`,
    ),
    around(
      (r) => `0x${hex64(r)}`,
      (s) => `the private key is ${s}`,
    ),
    around(
      (r) => `0x${hex64(r)}`,
      (s) => `Account #0: 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 (10000 ETH) Private Key: ${s}`,
    ),
    around(
      (r) => r.text(BASE58, 88),
      (s) => `SOLANA_PRIVATE_KEY=${s}`,
    ),
    around(
      (r) => `${r.pick(['5', 'K', 'L'])}${r.text(BASE58, 51)}`,
      (s) => `wallet privkey ${s}`.replace('privkey ', 'privkey: '),
    ),
    around(
      (r) => Array.from({ length: 64 }, () => 1 + r.below(255)).join(','),
      (s) => `secretKey: [${s}]`,
    ),
    around(
      (r) => Array.from({ length: 64 }, () => 1 + r.below(255)).join(', '),
      (s) => `{"keypair":{"private_key":[${s}]}}`,
    ),
  ],
};

/** A time as loggers print it. */
export function stamp(r: SeededRandom): string {
  const two = (below: number): string => String(r.below(below)).padStart(2, '0');
  const day = `2026-${String(1 + r.below(12)).padStart(2, '0')}-${String(1 + r.below(28)).padStart(2, '0')}`;
  const time = `${two(24)}:${two(60)}:${two(60)}`;
  const part = String(r.below(1000)).padStart(3, '0');
  return r.pick([`${day}T${time}.${part}Z`, `${day} ${time},${part}`, `[${day} ${time}]`, `${day}T${time}+00:00`]);
}

const JSONED = (text: string): string => JSON.stringify(text).slice(1, -1);

/** A secret as programs, shells and files show it. Without `nameNeeded` also without any hint of what it is. */
function inContext(r: SeededRandom, name: string, secret: string, nameNeeded: boolean): string {
  const spaced = secret.includes(' ');
  const lower = name.toLowerCase();
  const withName = [
    `${name}=${spaced ? `"${secret}"` : secret}`,
    `export ${name}="${secret}"`,
    `${lower}: ${secret}`,
    `  ${lower}: "${secret}"`,
    `${stamp(r)} INFO config loaded ${name}=${spaced ? `'${secret}'` : secret}`,
    `{"level":"info","message":"config","${lower}":"${JSONED(secret)}","retries":3}`,
    `{"${lower}": "${JSONED(secret)}", "symbol": "BTC"}`,
    `{'${lower}': '${secret}', 'symbol': 'BTC'}`,
    `INFO:root:Config(${lower.replaceAll(/[^a-z0-9_]/g, '_')}='${secret}', region='eu')`,
    `{"message":"env ${name}=${spaced ? `'${secret}'` : secret}","level":"debug"}`,
    `[${name}] = "${secret}"`.replace('[', '').replace(']', ''),
    `std::cout ${name} = "${secret}";`,
    `[{"name":"REGION","value":"eu"},{"name":"${name}","value":"${JSONED(secret)}"}]`,
    JSON.stringify({ level: 'info', msg: 'start', env: [{ name, value: secret }] }),
    JSON.stringify({ message: `config is ${JSON.stringify({ [lower]: secret, retries: 3 })}`, level: 'info' }),
    JSON.stringify({ _metric: 'config', value: 1, settings: { [lower]: secret } }),
  ];
  if (!spaced) withName.push(`https://api.example.com/v1/x?${lower}=${encodeURIComponent(secret)}&limit=5`);
  if (nameNeeded) return r.pick(withName);
  return r.pick([
    ...withName,
    secret,
    `using ${secret}`,
    `${stamp(r)} ERROR request failed for ${secret}: 401 Unauthorized`,
    `{"message":"got ${secret} from vault","level":"info"}`,
    `['run', '--with', '${secret}']`,
    `curl -sS "${secret}"`,
    `value is '${secret}', retrying`,
    `(${secret})`,
    `\u001b[32minfo\u001b[39m: ${secret}\u001b[0m`,
    `https://api.example.com/x?q=${encodeURIComponent(secret)}`,
    `Traceback: ValueError("bad value ${secret}")`,
    `a,b,${secret},c`,
    `{"list":["${secret}","x"]}`,
  ]);
}

const tokenLine =
  (token: Token): Line =>
  (r) => {
    const secret = token.make(r);
    return { line: inContext(r, token.name, secret, false), secret: token.core?.(secret) ?? secret };
  };

const ALL: ReadonlyMap<string, readonly Line[]> = new Map(
  [...new Set([...Object.keys(TOKENS), ...Object.keys(LINES)])].map((category) => [
    category,
    [...(TOKENS[category] ?? []).map(tokenLine), ...(LINES[category] ?? [])],
  ]),
);

export const SECRET_CATEGORIES: readonly string[] = [...ALL.keys()];

/** Samples of a category: its kinds in turn, so that each has its part. */
export function* secretSamples(category: string, count: number, random: SeededRandom): Generator<SecretSample> {
  const kinds = ALL.get(category) ?? [];
  for (let i = 0; i < count; i++) {
    const kind = kinds[i % kinds.length];
    if (kind === undefined) throw new RangeError(`no samples of ${category}`);
    yield { category, ...kind(random) };
  }
}

/** One sample of any category. */
export function anySecret(random: SeededRandom): SecretSample {
  const category = random.pick(SECRET_CATEGORIES);
  const kind = random.pick(ALL.get(category) ?? []);
  return { category, ...kind(random) };
}

/** A generator for these samples that is independent of the order in which categories are asked. */
export function samplesOf(category: string, count: number, seed: number): SecretSample[] {
  const at = SECRET_CATEGORIES.indexOf(category);
  return [...secretSamples(category, count, new SeededRandom(seed + at * 7919))];
}

/** Whether a usefully long run of a secret's characters is left: 10 of them, or all of a shorter one. */
export function shows(text: string, secret: string): boolean {
  const window = Math.min(10, secret.length);
  for (let at = 0; at + window <= secret.length; at++) {
    const part = secret.slice(at, at + window);
    if (text.includes(part)) return true;
  }
  return false;
}
