import { describe, expect, it } from 'vitest';
import { createMasker } from '../../../../../../src/main/host/logs/mask/masker.ts';
import { MASK_RULES } from '../../../../../../src/main/host/logs/mask/rules.ts';

const masker = createMasker([]);
/** Made-up characters of a length: `fake('Ab3', 7)` is `Ab3Ab3A`. */
const fake = (pattern: string, length: number): string =>
  pattern.repeat(Math.ceil(length / pattern.length)).slice(0, length);
const A = (length: number): string => fake('Fake0Key9', length);
const H = (length: number): string => fake('0badcafe', length);

/** Lines with a secret between « and ». What is masked must be exactly that. */
const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  'platform-key': [`using «plat_pub123_${A(43)}» now`, `{"k":"«plat_${A(30)}»"}`],
  'platform-token': [`«sess_${fake('0a1b2c', 12)}_${A(43)}» old`, `{"t":"«local_${A(43)}»"}`],
  'platform-encoded': [
    `.«${Buffer.from(`plat_${A(56)}`).toString('base64')}»`,
    `hex «${Buffer.from(`local_${A(43)}`).toString('hex')}»`,
  ],
  'platform-link': [`open http://127.0.0.1:4747/#enter=«${A(43)}» once`],
  'aws-key-id': [`id «AKIA${fake('FAKE0', 16)}» ok`, `{"aws":"«ASIA${fake('FAKE7', 16)}»"}`],
  github: [`push with «ghp_${A(36)}»`, `«github_pat_${A(60)}»`, `url?x=«ghs_${A(36)}»&y=1`],
  'gitlab-runner': [`runner «GR1348941${A(20)}»`],
  gitlab: [`«glpat-${A(20)}»`, `runner «glrt-${A(24)}» up`],
  slack: [`«xoxb-${fake('123456789-', 24)}${A(24)}»`, `«xapp-1-${A(60)}»`],
  'slack-webhook': [
    `POST https://hooks.slack.com/services/«T${A(8)}/B${A(8)}/${A(24)}» 200`,
    `{"url":"https:\\/\\/hooks.slack.com\\/services\\/«T${A(8)}\\/B${A(8)}\\/${A(24)}»"}`,
  ],
  'discord-token': [`as «MTk4NjIyNDgzNDcxOTI1MjQ4.G${A(5)}.${A(38)}» ready`],
  'discord-webhook': [`https://discord.com/api/webhooks/${fake('1', 18)}/«${A(68)}»`],
  stripe: [`«sk_live_${A(24)}»`, `«rk_test_${A(24)}»`, `«whsec_${A(32)}»`],
  google: [`«AIza${A(35)}»`, `«ya29.${A(80)}»`, `«GOCSPX-${A(28)}»`],
  'google-refresh': [`«1//0${A(99)}»`, `x=«1%2F%2F0${A(99)}»&y`],
  'openai-anthropic': [`«sk-${A(48)}»`, `«sk-ant-api03-${A(80)}»`, `{"m":"line\\n«sk-proj-${A(60)}»"}`],
  npm: [`«npm_${A(36)}»`],
  pypi: [`«pypi-${A(120)}»`],
  'hugging-face': [`«hf_${A(34)}»`],
  sendgrid: [`«SG.${A(22)}.${A(43)}»`],
  twilio: [`sid «SK${H(32)}» used`],
  digitalocean: [`«dop_v1_${H(64)}»`],
  vault: [`«hvs.${A(90)}»`],
  age: [`«AGE-SECRET-KEY-1${fake('FAKE0', 58)}»`],
  'wallet-extended-key': [`root «xprv${fake('9s21ZrQH', 107)}»`],
  telegram: [`https://api.telegram.org/bot123456789:«AA${A(33)}»/sendMessage`, `chat%3A 1234567890%3A«AA${A(33)}»`],
  'telegram-address': [`https://api.telegram.org/bot123456789:«AB${A(33)}»/sendMessage`],
  'webhook-address': [
    `POST https://hooks.zapier.com/hooks/catch/123456/«${A(7)}»/ 200`,
    `https://maker.ifttt.com/trigger/filled/with/key/«${A(22)}»`,
  ],
  'rpc-provider': [
    `wss://mainnet.infura.io/ws/v3/«${H(32)}»`,
    `https://eth-mainnet.g.alchemy.com/v2/«${A(32)}» timed out`,
    `https://some-name.quiknode.pro/«${H(40)}»/`,
  ],
  binance: [`X-MBX-APIKEY: «${A(64)}»`, `{'X-MBX-APIKEY': '«${A(64)}»', 'a': 'b'}`, `-H "x-mbx-apikey: «${A(64)}»" -v`],
  alpaca: [`APCA-API-KEY-ID: «PK${fake('FAKE0', 18)}»`, `"APCA-API-SECRET-KEY":"«${A(40)}»"`],
  'okx-coinbase': [
    `OK-ACCESS-KEY: «${H(8)}-1111-2222-3333-${H(12)}»`,
    `"CB-ACCESS-PASSPHRASE": "«${A(12)}»"`,
    `ACCESS-SIGN=«${A(43)}=»`,
  ],
  kucoin: [`KC-API-KEY => «${H(24)}»`, `('KC-API-PASSPHRASE', '«${A(44)}=»')`],
  bybit: [`X-BAPI-API-KEY: «${A(18)}»`, `X-BAPI-SIGN: «${H(64)}»`],
  'kraken-bitmex': [`API-Sign: «${A(86)}==»`, `api-signature: «${H(64)}»`],
  gemini: [`X-GEMINI-APIKEY: «account-${A(20)}»`],
  bitfinex: [`"bfx-signature": "«${H(96)}»"`],
  'coinex-bitmart': [`X-COINEX-KEY: «${A(32)}»`, `{'X-BM-SIGN': '«${H(64)}»'}`],
  bitstamp: [`X-Auth-Signature: «${H(64)}»`],
  'bitstamp-key': [`X-Auth: BITSTAMP «${A(32)}»`],
  'kraken-futures': [`{'Authent': '«${A(86)}==»'}`],
  gate: [`{'KEY': '«${H(32)}»', 'Timestamp': '1', 'SIGN': '«${H(128)}»'}`],
  'wallet-private-key': [`the private key is «0x${H(64)}» now`, `Private Key «${H(64)}»`],
  'wallet-signer-key': [`DEPLOYER_KEY=«0x${H(64)}»`, `{"signer pk":"«0x${H(64)}»"}`],
  'mexc-bingx-phemex': [`X-MEXC-APIKEY: «mx0${A(20)}»`, `X-BX-APIKEY: «${A(64)}»`],
  'dydx-polymarket': [`POLY_PASSPHRASE: «${H(64)}»`, `DYDX-SIGNATURE=«${A(44)}»`],
  'signed-query': [`GET /api/v3/account?timestamp=1700000000000&signature=«${H(64)}» 200`],
  jwt: [
    `got «eyJhbGciOiJub25lIn0.eyJmYWtlIjoidHJ1ZSJ9.${A(43)}» back`,
    `{"id":"«eyJhbGciOiJub25lIn0.eyJmYWtlIjoidHJ1ZSJ9.»"}`,
    `x «eyJ${A(500)}.eyJ${A(3000)}.${A(340)}», y`,
  ],
  authorization: [
    `Authorization: Bearer «${A(8)}» retrying in 5 s`,
    `{"headers":{"Authorization":"Basic «ZmFrZTpmYWtl»"}}`,
    `{'Authorization': 'Token «abcdef»'}`,
    `authorization: «${A(24)}»`,
    `Authorization: AWS4-HMAC-SHA256 «Credential=x/20260101/us, SignedHeaders=host, Signature=${H(64)}»`,
    `{"h":"Authorization: Digest «u=\\»"name\\" x","b":1}`.replace('u=\\»"', 'user»\\"'),
  ],
  bearer: [`sent bearer «${A(20)}», got 401`, `Bearer «${fake('aBcDeFgHiJ', 40)}»`],
  basic: [`curl sent Basic «ZmFrZTpmYWtlMQ==»`],
  'url-password': [
    `postgres://bot:«hunter2»@db:5432/x`,
    `redis://:«p:w@x»@localhost:6379/0`,
    `{"dsn":"mysql:\\/\\/root:«toor9»@db\\/x"}`,
  ],
  'url-password-encoded': [`?dsn=postgres%3A%2F%2Fbot%3A«hunter2»%40db%2Fx&y=1`],
  'url-token': [`clone https://«${A(40)}»@example.com/x.git`],
  'account-key': [`AccountName=bots;AccountKey=«${A(86)}==»;EndpointSuffix=core.windows.net`],
  'client-key': [`    client-key-data: «${A(2000)}==»`],
  'docker-auth': [`{"auths":{"registry.example.com":{"auth": "«ZmFrZTpmYWtlMQ==»"}}}`],
  'curl-user': [`curl -u 'bot:«hunter2»' https://example.com`],
  sidekiq: ['BUNDLE_ENTERPRISE__CONTRIBSYS__COM=«cafebabe:deadbeef»'],
  attribute: ['<add key="ClearTextPassword" value="«hunter2»" />'],
  cookie: [`Set-Cookie: «sid=${A(20)}; Path=/; HttpOnly»`, `{"cookie":"«a=b; session=${A(9)}»","x":1}`],
};

describe('each rule', () => {
  it('has a sample', () => {
    // Those of token-formats.ts are measured by the public lists: test/security/public-tokens.test.ts.
    const ids = MASK_RULES.map((rule) => rule.id).filter((id) => !id.startsWith('token-'));
    expect(Object.keys(SAMPLES).sort()).toEqual(ids.sort());
  });

  const lines = Object.entries(SAMPLES).flatMap(([id, samples]) => samples.map((sample) => [id, sample] as const));
  it.each(lines)('%s: %s', (_id, sample) => {
    const line = sample.replaceAll(/[«»]/g, '');
    const masked = masker.maskLine(line);
    expect(masked.text).toBe(sample.replaceAll(/«[^»]*»/g, '***'));
    expect(masked.spans).toBe(sample.split('«').length - 1);
    expect(masker.maskLine(masked.text)).toEqual({ text: masked.text, spans: 0 });
  });

  it.each(lines)('is found by the keyword automaton: %s: %s', (_id, sample) => {
    const buf = Buffer.from(`clean line\n${sample.replaceAll(/[«»]/g, '')}\nclean\n`);
    const flags = new Uint8Array(3);
    expect(masker.scan(buf, 0, buf.length, new Uint32Array(3), flags)).toBe(3);
    expect([...flags]).toEqual([0, 1, 0]);
  });
});

describe('the table', () => {
  it.each(MASK_RULES.map((rule) => [rule.id, rule] as const))('%s keeps its bounds', (_id, rule) => {
    expect(rule.reach).toBeLessThanOrEqual(1024);
    expect(rule.keywords.every((word) => word === word.toLowerCase() && word.length >= 3)).toBe(true);
    // A repeat without bounds is only harmless at the end, where nothing after it can fail.
    expect(rule.source.replace(/\(\?<![^)]*\)[^)]*\)/, '')).not.toMatch(/^[.*+]/);
    expect(() => new RegExp(rule.source, `y${rule.flags}`)).not.toThrow();
  });

  it.each([
    ['AKIA in a longer word', `XAKIA${fake('FAKE0', 16)}`],
    ['a word that ends in sk-', 'risk-management-with-some-long-name-2026'],
    ['a telegram id that is too long', `123456789012345:AA${A(33)}`],
    ['bearer as a word', 'the bearer of configuration changes'],
    ['basic as a word', 'basic configuration loaded, Basic understanding of strategies'],
    ['an address with a port and an @ in its query', 'http://host:8080/path?mail=a@b.c'],
    ['an ssh address', 'ssh://git@github.com/x/y.git'],
    ['authorization as a word', 'Authorization: required for this endpoint'],
    ['a short thing beginning with eyJ', 'eyJhIjoxfQ'],
    ['a header of which something is told', 'ACCESS-SIGN: expired, X-MBX-APIKEY: missing'],
    ['what a token server answers', 'token_type=bearer expires_in=86400'],
    ['a hash beside a private key', `signed with private key, tx 0x${H(64)}`],
    ['a public key', `signer key 0x${H(66)}`],
    ['a hash under a key', `cache key: ${H(32)}`],
    ['cookie as a word', 'cookie: accepted'],
    ['an address that begins like a token', 'mint YCPWBEBbqHs7wLcRBkZLMFi5UwQJeCC3ubqBk7UJ3nUQ'],
    [
      'a signature that begins like a token',
      '"BSA8seYCaJj1PPtWtKaWt4Syrr3RuNhhoBfKq7dJnJwFBzGgYyNg1EDSVNpB63SrMAGzevkS5DyzGj7U5TE9fqQ8"',
    ],
    [
      'a public key with what begins like a token',
      'ssh-rsa AAAAB3NzaC1yc2ElOtYoxQVEoeX7Wri2lHSd6/y33UIhidKAOEXpp1xCA9XFINo8bcQur4uLZcOlsYgxJw8aKGqbnJYiAqiteac+' +
        'EAAo4UHaCo2T1CMpiHuprjqNSS5N3Sp975FL0F0LTx61URLkjwS6rqx7JpZnJjd1FaC5edMfTJpok2WYGUngpQVL22DYb4Gw1Zt5VbNq0PsX3 bot@host',
    ],
  ])('leaves alone %s', (_what, line) => {
    expect(masker.maskLine(line)).toEqual({ text: line, spans: 0 });
  });
});
