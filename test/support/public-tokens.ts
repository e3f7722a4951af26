import type { SeededRandom } from './seeded-random.ts';

/**
 * Tokens as the public lists of secret scanners describe them, made up: what a token begins with, its alphabet, its
 * length. Written from those lists, independently of the masking rules, which they measure.
 */
const DIGIT = '0123456789';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const ALNUM = `${LOWER}${UPPER}${DIGIT}`;

const ALPHABETS: Readonly<Record<string, string>> = {
  h: `${DIGIT}abcdef`,
  d: DIGIT,
  l: `${LOWER}${DIGIT}`,
  u: `${UPPER}${DIGIT}`,
  a: ALNUM,
  w: `${ALNUM}_-`,
  b: `${ALNUM}+/`,
  t: `${UPPER}234567`,
  z: `${LOWER}${UPPER}`,
};

/** `h32` in braces is 32 hex digits, and so on; all else stands for itself. */
const FORMS: Readonly<Record<string, readonly string[]>> = {
  '1password': ['A3-{u6}-{u11}-{u5}-{u5}-{u5}', 'ops_eyJ{b260}'],
  adafruit: ['aio_{a28}'],
  adobe: ['p8e-{l32}'],
  age: ['AGE-SECRET-KEY-1{u58}'],
  aiven: ['AVNS_{w19}'],
  alibaba: ['LTAI{l20}'],
  anthropic: ['sk-ant-api03-{w93}AA', 'sk-ant-admin01-{w93}AA'],
  artifactory: ['AKCp{a69}', 'cmVmd{a59}'],
  atlassian: ['ATATT3{w186}'],
  authress: ['scauth_{l12}.{l5}.acc_{l16}.{l40}'],
  aws: ['AKIA{t16}', 'ASIA{t16}', 'ABIA{t16}', 'ACCA{t16}', 'A3TX{t16}', 'ABSK{b109}'],
  azure: ['{a3}8Q~{w31}', '{a76}AZDO{a4}', '{a52}JQQJ99{a26}'],
  bitbucket: ['ATBB{a32}', 'BBDC-{b40}'],
  buildkite: ['bkua_{l40}'],
  circleci: ['CCIPAT_{a22}_{h40}'],
  clickhouse: ['4b1d{a38}'],
  clojars: ['CLOJARS_{l60}'],
  cloudflare: ['v1.0-{h24}-{h146}'],
  contentful: ['CFPAT-{w43}'],
  crates: ['cio{a32}'],
  databricks: ['dapi{h32}'],
  'defined-networking': ['dnkey-{w26}-{w52}'],
  deno: ['ddp_{a36}'],
  digitalocean: ['dop_v1_{h64}', 'doo_v1_{h64}', 'dor_v1_{h64}'],
  docker: ['dckr_pat_{w27}'],
  doppler: ['dp.pt.{a43}', 'dp.ct.{a40}', 'dp.sa.{a40}', 'dp.scim.{a40}', 'dp.audit.{a40}'],
  duffel: ['duffel_live_{w43}', 'duffel_test_{w43}'],
  dynatrace: ['dt0c01.{u24}.{u64}'],
  easypost: ['EZAK{a54}', 'EZTK{a54}'],
  facebook: ['EAAM{a110}', 'EAAC{a110}'],
  figma: ['figd_{w40}'],
  flutterwave: ['FLWSECK_TEST-{h32}-X', 'FLWSECK_TEST-{h12}', 'FLWPUBK_TEST-{h32}-X'],
  fly: ['fo1_{w43}', 'fm2_{b120}', 'fm1r_{b120}'],
  frameio: ['fio-u-{w64}'],
  github: ['ghp_{a36}', 'gho_{a36}', 'ghu_{a36}', 'ghs_{a36}', 'ghr_{a36}', 'github_pat_{a22}_{a59}'],
  gitlab: [
    'glpat-{w20}',
    'gldt-{w20}',
    'glrt-{w20}',
    'glcbt-{a2}_{w20}',
    'glffct-{w20}',
    'glft-{w20}',
    'glimt-{w25}',
    'glagent-{w50}',
    'gloas-{w64}',
    'glptt-{h40}',
    'glsoat-{w20}',
    'GR1348941{w20}',
  ],
  google: ['AIza{w35}', 'GOCSPX-{w28}', 'ya29.{w100}', 'GOOG1E{u57}'],
  grafana: ['glc_{b60}', 'glsa_{a32}_{h8}', 'eyJrIjoi{a90}'],
  groq: ['gsk_{a52}'],
  harness: ['pat.{w22}.{a24}.{a20}', 'sat.{w22}.{a24}.{a20}'],
  heroku: ['HRKU-AA{w58}'],
  honeycomb: ['hcaik_{l58}'],
  hubspot: ['pat-na1-{h8}-{h4}-{h4}-{h4}-{h12}'],
  'hugging-face': ['hf_{z34}', 'api_org_{z34}'],
  infracost: ['ico-{a32}'],
  intercom: ['dG9rO{a54}='],
  intra42: ['s-s4t2ud-{h64}', 's-s4t2af-{h64}'],
  jwt: ['eyJhbGciOiJIUzI1NiJ9.eyJ{w60}.{w43}'],
  langsmith: ['lsv2_pt_{h32}_{h10}'],
  linear: ['lin_api_{a40}'],
  lob: ['live_{h35}', 'test_{h35}'],
  mailchimp: ['{h32}-us12'],
  mailgun: ['key-{h32}', 'pubkey-{h32}'],
  mailersend: ['mlsn.{h64}'],
  mapbox: ['pk.{a60}.{a22}', 'pk.eyJ{w60}.{w22}'],
  maxmind: ['{a6}_{a29}_mmk'],
  midtrans: ['Mid-server-{w24}'],
  'new-relic': ['NRAK-{u27}', 'NRJS-{h19}', 'NRII-{w32}', '{h36}NRAL'],
  notion: ['ntn_{d11}{a35}', 'secret_{a43}'],
  npm: ['npm_{a36}'],
  nuget: ['oy2{l43}'],
  nvidia: ['nvapi-{w64}'],
  octopus: ['API-{u26}'],
  openai: ['sk-{a20}T3BlbkFJ{a20}', 'sk-proj-{w74}T3BlbkFJ{w74}', 'sk-svcacct-{w58}T3BlbkFJ{w58}'],
  openshift: ['sha256~{w43}'],
  perplexity: ['pplx-{a48}'],
  plaid: ['access-sandbox-{h8}-{h4}-{h4}-{h4}-{h12}'],
  planetscale: ['pscale_tkn_{w43}', 'pscale_oauth_{w43}', 'pscale_pw_{w43}'],
  postman: ['PMAK-{h24}-{h34}'],
  prefect: ['pnu_{a36}'],
  pulumi: ['pul-{h40}'],
  pypi: ['pypi-AgEIcHlwaS5vcmc{w80}'],
  razorpay: ['rzp_live_{a14}'],
  readme: ['rdme_{l70}'],
  replicate: ['r8_{a37}'],
  rubygems: ['rubygems_{h48}'],
  samsara: ['samsara_api_{a30}'],
  scalingo: ['tk-us-{w48}'],
  sendgrid: ['SG.{w22}.{w43}'],
  sendinblue: ['xkeysib-{h64}-{a16}'],
  sentry: ['sntryu_{h64}', 'sntrys_eyJpYXQiO{b100}_{b43}'],
  settlemint: ['sm_aat_{a16}', 'sm_pat_{a16}', 'sm_sat_{a16}'],
  shippo: ['shippo_live_{h40}', 'shippo_test_{h40}'],
  shopify: ['shpat_{h32}', 'shpca_{h32}', 'shppa_{h32}', 'shpss_{h32}'],
  slack: [
    'xoxb-{d12}-{d12}-{a24}',
    'xoxp-{d12}-{d12}-{d12}-{h32}',
    'xapp-1-{u10}-{d13}-{h64}',
    'xoxe-1-{u146}',
    'xoxr-{a40}',
    'https://hooks.slack.com/services/T{u8}/B{u8}/{a24}',
  ],
  sonar: ['sqp_{h40}', 'squ_{h40}'],
  sourcegraph: ['sgp_{h40}', 'sgp_{h16}_{h40}'],
  square: ['sq0atp-{w22}', 'sq0csp-{w43}', 'EAAA{w60}'],
  stripe: ['sk_live_{a24}', 'sk_test_{a99}', 'rk_live_{a24}', 'whsec_{a32}'],
  supabase: ['sbp_{h40}'],
  tailscale: ['tskey-api-{a12}-{a32}', 'tskey-auth-{a12}-{a32}'],
  teams: [
    'https://acme.webhook.office.com/webhookb2/{h8}-{h4}-{h4}-{h4}-{h12}@{h8}-{h4}-{h4}-{h4}-{h12}/IncomingWebhook/{h32}/{h8}-{h4}-{h4}-{h4}-{h12}',
  ],
  telegram: ['{d10}:AA{w33}'],
  terraform: ['{a14}.atlasv1.{w67}'],
  twilio: ['SK{h32}', 'AC{h32}'],
  typeform: ['tfp_{w59}'],
  vault: ['hvs.{w95}', 'hvb.{w140}'],
  wakatime: ['waka_{h8}-{h4}-{h4}-{h4}-{h12}'],
  xai: ['xai-{a80}'],
  yandex: ['AQVN{w36}'],
};

/** Keys that look like chance, and whose they are. */
const NAMED: Readonly<Record<string, string>> = {
  adafruit: '{l32}',
  airtable: '{l17}',
  algolia: '{l32}',
  asana: '{l32}',
  bitbucket: '{l32}',
  bittrex: '{l32}',
  cloudflare: '{l40}',
  codecov: '{l32}',
  cohere: '{a40}',
  coinbase: '{l64}',
  confluent: '{l16}',
  contentful: '{l43}',
  datadog: '{l40}',
  discord: '{h64}',
  droneci: '{l32}',
  etsy: '{l24}',
  fastly: '{l32}',
  finicity: '{h32}',
  finnhub: '{l20}',
  flickr: '{l32}',
  freshbooks: '{l64}',
  gitter: '{l40}',
  intercom: '{l60}',
  jfrog: '{l64}',
  kraken: '{b84}',
  kucoin: '{h24}',
  launchdarkly: '{l40}',
  linkedin: '{l16}',
  mattermost: '{l26}',
  meraki: '{h40}',
  messagebird: '{l25}',
  netlify: '{l44}',
  nytimes: '{l32}',
  okta: '00{w40}',
  plaid: '{l30}',
  rapidapi: '{l50}',
  sendbird: '{h40}',
  sentry: '{h64}',
  travisci: '{l22}',
  twitch: '{l30}',
  twitter: '{l50}',
  yandex: 'YC{a38}',
  zendesk: '{l40}',
};

function filled(form: string, r: SeededRandom): string {
  return form.replaceAll(/\{([a-z])(\d+)\}/g, (_, kind: string, length: string) =>
    r.text(ALPHABETS[kind] ?? '', Number(length)),
  );
}

export interface PublicToken {
  readonly provider: string;
  readonly line: string;
  readonly token: string;
}

/** Each form once, in a line that says nothing of it, or that has the name of its provider. */
export function publicTokens(r: SeededRandom): PublicToken[] {
  const known = Object.entries(FORMS).flatMap(([provider, forms]) =>
    forms.map((form) => {
      const token = filled(form, r);
      const line = r.pick([
        token,
        `using ${token} now`,
        `{"msg":"got ${token}"}`,
        `value='${token}'`,
        `x: ${token}`,
        `(${token})`,
        `got "${token}",`,
      ]);
      return { provider, line, token };
    }),
  );
  const named = Object.entries(NAMED).map(([provider, form]) => {
    // A digit and a letter, as nearly all of them have.
    const token = `${filled(form, r).slice(0, -2)}a7`;
    const name = r.pick(['', '_API_KEY', '_TOKEN', '_SECRET', '_KEY', '_ACCESS_TOKEN', '_PROD']);
    const written = r.pick([`${provider}${name}`.toUpperCase(), `${provider}${name}`.toLowerCase()]);
    return {
      provider,
      line: r.pick([
        `${written}=${token}`,
        `${written}: "${token}"`,
        `{"${written}":"${token}"}`,
        `export ${written}='${token}'`,
      ]),
      token,
    };
  });
  return [...known, ...named];
}
