import { looksRandom, nameWords, UUID } from '../../../../shared/secret-names.ts';

/** Names of some providers whose keys look purely random: in the name of a setting they mark its value as a key. */
const PROVIDERS: readonly string[] = (
  'ably abuseipdb adafruit adobe airbrake airtable aiven alchemy algolia alibaba alphavantage amadeus amplitude apify appcues ' +
  'artifactory asana assemblyai atlassian auth0 aviationstack ayrshare bannerbear beamer betterstack bintray bitbucket bitfinex ' +
  'bitly bitrise bittrex bscscan bugsnag buildkite buttercms calendly censys chartmogul checkly circleci clarifai clearbit clickup ' +
  'clockify cloudflare cloudinary cloudsmith codacy codeclimate codecov cohere coinapi coinbase coinlayer coinlib coinmarketcap ' +
  'confluence confluent consul contentful couchbase coveralls crowdin cryptocompare currencylayer customerio databricks datadog ' +
  'deepgram deepl deepseek diffbot digitalocean discord disqus docusign droneci dropbox dwolla edamam elasticemail elevenlabs ' +
  'etherscan ethplorer etsy eventbrite facebook fastforex fastly figma financialmodelingprep finicity finnhub firecrawl flickr ' +
  'freemius freshbooks freshdesk geckoboard geoapify getresponse giphy gitter glassnode gocardless graphhopper gumroad hashicorp ' +
  'helius hellosign helpscout heroku hetzner holidayapi honeycomb hubspot iexcloud imagekit infisical infura insightly instamojo ' +
  'intercom intrinio ipinfo ipstack jenkins jfrog jira jotform jumpcloud keenio kickbox klaviyo kraken kucoin launchdarkly lemlist ' +
  'lemonsqueezy linear linkedin linode localstack locationiq logzio lokalise looker mailchimp mailerlite mailgun mailjet mandrill ' +
  'mapbox mapquest marketstack mattermost maxmind mediastack meraki messagebird metaapi mixpanel mockaroo moralis netlify newrelic ' +
  'newsapi nexmo nftport ngrok nomad numverify nylas nytimes oanda okta omnisend onelogin onesignal opencage openweather opsgenie ' +
  'optimizely pagerduty pandadoc parseur pastebin paystack pdfshift pinata pipedream pipedrive pixabay plaid planetscale plivo ' +
  'poloniex posthog postmark privateai pubnub pulumi pushbullet pusher pushover quandl quicknode rapidapi resend ringcentral ' +
  'rocketreach rollbar salesforce sanity saucelabs scraperapi scrapingbee securitytrails sendbird sendgrid sendinblue sentry serpapi ' +
  'serpstack shodan shotstack shopify sidekiq signalwire simfin smartsheet snyk sonar sonarcloud sonarqube sourcegraph sparkpost ' +
  'splunk spoonacular spotify squarespace statuscake stockdata storyblok strava stytch sumo sumologic supabase tatum taxjar telegram ' +
  'telnyx thousandeyes ticketmaster tiingo todoist toggl tomtom tradier travelpayouts travis travisci trello twelvedata twilio twitch ' +
  'twitter typeform ubidots unsplash uploadcare uptimerobot urlscan userstack vercel veriphone virustotal vonage vultr wandb ' +
  'weatherapi weatherbit weatherstack webflow wistia woocommerce wrike yandex zendesk zenrows zenserp zeplin zerobounce zerotier'
).split(' ');
/** Parts of ordinary words, which count as names of providers but are not searched for. */
const TOO_ORDINARY = new Set(['ably', 'etsy', 'okta']);
const ONLY_AS_NAME = new Set(PROVIDERS);

/** Other words that may stand in such a name: `COINBASE_PROD_API_KEY`. */
const BESIDE = new Set(
  (
    'access account api app auth bot ci cli client cloud config credential creds default dev developer env http integration io key keys legacy ' +
    'license live logic login main master my new oauth old org pat personal private prod production project rest sandbox sdk secret service ' +
    'staging team test token tokens user v1 v2 v3 value webhook write x your'
  ).split(' '),
);

/** Provider names to search for, in lower case, without those that are part of ordinary words. */
export const PROVIDER_WORDS: readonly string[] = PROVIDERS.filter((name) => !TOO_ORDINARY.has(name));

/** True if a setting of this name has a key when its value looks like one: `coinbase`, `CLOUDFLARE_PROD`. */
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
/** Exchanges whose bots print ids beside their name that look like keys. */
const EXCHANGES = /bitfinex|bittrex|coinbase|kraken|kucoin|oanda|poloniex/i;
const KRAKEN_ID = /^[A-Z0-9]{6}-[A-Z0-9]{5}-[A-Z0-9]{6}$/;
/** Words that mark the value as a key: with one, a UUID counts as a key as well. */
const SAYS_KEY = /key|token|secret|auth|pat$|cred|api|pass/i;
/** Providers whose keys are UUIDs. */
const UUID_KEYS =
  /heroku|hubspot|messagebird|postmark|saucelabs|sendbird|snyk|squarespace|codecov|opsgenie|splunk|graphhopper/i;
/** Words between separators: a host, a path, a name. */
const WORDS = /(?:^|[-._/])[a-z]{5,}(?:[-._/]|$)/;
/** An id and a key. */
const TWO_PARTS = /^[\w./-]{4,64}[:|](?=[A-Za-z_-]*\d)([\w-]{20,})$/;
/** A kind of key, and the key. */
const KIND = /^[a-z]{1,3}\.[A-Za-z0-9]{30,}$/;
/** A key shorter than what looks random under other names. */
const SHORT_KEY = /^(?=[a-z]*\d[a-z]*\d)(?=\d*[a-z]\d*[a-z])[a-z0-9]{14,15}$/;

/** True if a text under such a name is a key. `quoted`: the value is surely a text of its own. */
export function isProviderKey(name: string, value: string, quoted: boolean): boolean {
  if (CHAIN.test(value) || KRAKEN_ID.test(value) || WORDS.test(value)) return false;
  const says = SAYS_KEY.test(name);
  if (!says && !quoted && EXCHANGES.test(name) && name !== name.toUpperCase()) return false;
  if (UUID.test(value)) return says || UUID_KEYS.test(name);
  return looksRandom(value) || KIND.test(value) || TWO_PARTS.test(value) || ((says || quoted) && SHORT_KEY.test(value));
}
