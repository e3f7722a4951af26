import { looksRandom, nameWords } from '../../../../shared/secret-names.ts';

/** Some of those whose keys look like nothing but chance: their name in the name of a setting says what its value is. */
const PROVIDERS: readonly string[] = (
  'adafruit adobe airtable alchemy algolia alibaba alphavantage amplitude artifactory asana assemblyai atlassian beamer bintray ' +
  'bitbucket bitfinex bitly bittrex buildkite circleci cloudflare cloudinary codecov cohere coinapi coinbase coinmarketcap confluence ' +
  'confluent contentful cryptocompare datadog deepseek discord droneci dropbox elevenlabs etherscan etsy facebook fastly finicity ' +
  'finnhub flickr freshbooks giphy gitter glassnode gocardless helius heroku hubspot infura intercom intrinio jenkins jfrog jira ' +
  'klaviyo kraken kucoin launchdarkly linkedin localstack mailchimp mailgun mailjet mapbox marketstack mattermost maxmind meraki ' +
  'messagebird mixpanel moralis netlify newrelic newsapi ngrok nytimes oanda okta openweather pagerduty plaid plivo poloniex ' +
  'postmark privateai pusher quandl quicknode rapidapi resend rollbar salesforce sendbird sentry shodan snyk sourcegraph splunk ' +
  'spotify squarespace sumologic telegram telnyx tiingo travisci trello twelvedata twilio twitch twitter typeform vercel virustotal ' +
  'wandb woocommerce yandex zendesk'
).split(' ');
/** These are parts of ordinary words: they count as names, but are not looked for. */
const TOO_ORDINARY = new Set(['etsy', 'okta']);
const ONLY_AS_NAME = new Set(PROVIDERS);

/** What else may stand in such a name: `COINBASE_PROD_API_KEY`. */
const BESIDE = new Set(
  (
    'access account api app auth bot ci cli client config credential creds default dev developer env http integration io key keys legacy ' +
    'license live login main master my new oauth old org pat personal private prod production project rest sandbox sdk secret service ' +
    'staging team test token tokens user v1 v2 v3 value webhook write x your'
  ).split(' '),
);

/** Provider names to search for, in lower case, without those that are part of ordinary words. */
export const PROVIDER_WORDS: readonly string[] = PROVIDERS.filter((name) => !TOO_ORDINARY.has(name));

/** Whether a setting of this name holds a key if its value looks like one: `coinbase`, `CLOUDFLARE_PROD`. */
export function isProviderName(name: string): boolean {
  const parts = name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  const known = parts.some((part) => ONLY_AS_NAME.has(part)) || nameWords(name).some((word) => ONLY_AS_NAME.has(word));
  if (!known) return false;
  return parts.every(
    (part) =>
      ONLY_AS_NAME.has(part) ||
      BESIDE.has(part) ||
      /^\d+$/.test(part) ||
      nameWords(part).every((word) => BESIDE.has(word)),
  );
}

const CHAIN = /^0x/i;

/** Whether a text under such a name is a key. */
export const isProviderKey = (value: string): boolean => !CHAIN.test(value) && looksRandom(value);
