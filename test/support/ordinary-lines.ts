import { stamp, uuid } from './secret-samples.ts';
import type { SeededRandom } from './seeded-random.ts';

/**
 * Ordinary output of bots, and lines that come as near to a secret as ordinary ones do. None is a secret, so none may
 * be masked.
 */
const HEX = '0123456789abcdef';
const DIGIT = '0123456789';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const ALNUM = `${LOWER}${LOWER.toUpperCase()}${DIGIT}`;
const BASE58 = [...ALNUM].filter((c) => !'0OIl'.includes(c)).join('');

type Line = (r: SeededRandom) => string;

const symbol = (r: SeededRandom): string =>
  r.pick([
    'BTC',
    'ETH',
    'SOL',
    'AAPL',
    'MSFT',
    'BTC-USD',
    'ETH/USDT',
    'BTCUSDT',
    'EUR_USD',
    'ESZ6',
    'kPEPE',
    '1000SHIB',
  ]);
const number = (r: SeededRandom): string => (r.below(10_000_000) / 10 ** r.below(6)).toFixed(r.below(9));
const count = (r: SeededRandom): number => r.below(100_000);
const hex = (r: SeededRandom, length: number): string => r.text(HEX, length);
const address = (r: SeededRandom): string => `0x${hex(r, 40)}`;
const hash = (r: SeededRandom): string => `0x${hex(r, 64)}`;
const solana = (r: SeededRandom): string => r.text(BASE58, 44);
const id = (r: SeededRandom): string =>
  r.pick([uuid(r), hex(r, 32), r.text(DIGIT, 18), r.text(ALNUM, 22), hex(r, 24), hex(r, 8)]);
const level = (r: SeededRandom): string => r.pick(['INFO', 'DEBUG', 'WARN', 'ERROR', 'WARNING', 'TRACE']);
const side = (r: SeededRandom): string => r.pick(['BUY', 'SELL', 'buy', 'sell', 'long', 'short']);
const host = (r: SeededRandom): string =>
  r.pick(['api.binance.com', 'api.kraken.com', 'localhost:8080', 'ws.okx.com:8443', '10.0.0.7']);
const base64 = (r: SeededRandom, length: number): string => r.text(`${ALNUM}+/`, length);

const MARKET: readonly Line[] = [
  (r) => `${stamp(r)} ${level(r)} [${symbol(r)}] price=${number(r)} volume=${number(r)} change=${number(r)}%`,
  (r) =>
    `{"_metric":"price","symbol":"${symbol(r)}","value":${number(r)},"timestamp":${1_700_000_000_000 + r.below(1e9)}}`,
  (r) =>
    `{"_metric":"signal","symbol":"${symbol(r)}","signal":"${side(r)}","price":${number(r)},"reason":"sma ${count(r)} crossed"}`,
  (r) =>
    `order placed: {'id': '${id(r)}', 'symbol': '${symbol(r)}', 'side': '${side(r)}', 'type': 'limit', 'price': ${number(r)}, 'amount': ${number(r)}, 'fee': None, 'clientOrderId': '${id(r)}'}`,
  (r) => `filled ${number(r)} ${symbol(r)} @ ${number(r)} (${side(r)}), order ${id(r)}, trade ${r.text(DIGIT, 10)}`,
  (r) =>
    `OrderBook(bids=[[${number(r)}, ${number(r)}], [${number(r)}, ${number(r)}]], asks=[[${number(r)}, ${number(r)}]], ts=${1_700_000_000_000 + r.below(1e9)})`,
  (r) =>
    `{"level":30,"time":${1_700_000_000_000 + r.below(1e9)},"pid":${count(r)},"hostname":"bot-${count(r)}","msg":"tick ${symbol(r)}","bid":${number(r)},"ask":${number(r)}}`,
  (r) => `balance: USDT=${number(r)} BTC=${number(r)} ETH=${number(r)} total=${number(r)}`,
  (r) => `PnL ${number(r)} (${number(r)}%) drawdown ${number(r)}% sharpe ${number(r)} trades ${count(r)}`,
  (r) => `tx ${hash(r)} mined in block ${count(r)}, gas ${count(r)}, nonce ${count(r)}`,
  (r) => `transfer ${number(r)} USDC from ${address(r)} to ${address(r)} tx=${hash(r)}`,
  (r) => `{"jsonrpc":"2.0","id":${count(r)},"result":"${hash(r)}"}`,
  (r) =>
    `{"jsonrpc":"2.0","method":"eth_getLogs","params":[{"address":"${address(r)}","topics":["${hash(r)}"]}],"id":1}`,
  (r) => `signature: ${r.text(BASE58, 88)} slot ${r.text(DIGIT, 9)} status finalized`,
  (r) => `pool ${solana(r)} mint ${solana(r)} authority ${solana(r)}`,
  (r) => `token: ${symbol(r)}`,
  (r) => `token=${r.pick([symbol(r), address(r), solana(r)])} amount=${number(r)}`,
  (r) =>
    `{"token":"${r.pick([symbol(r), address(r), solana(r), hash(r)])}","token_pair":"${symbol(r)}","decimals":18,"max_tokens":${count(r)}}`,
  (r) => `{"baseToken":"${symbol(r)}","quoteToken":"USDC","token0":"${address(r)}","token1":"${address(r)}"}`,
  (r) => `token_id=${r.text(DIGIT, 76)} outcome=${r.pick(['Yes', 'No'])} price=${number(r)}`,
  (r) => `swap ${symbol(r)} -> ${symbol(r)} route ${address(r)},${address(r)} min_out ${number(r)}`,
  (r) => `key: ${r.pick(['price', 'volume', 'close', symbol(r), 'abc123', 'order_book'])}`,
  (r) =>
    `sort key=${r.pick(['price', 'timestamp', 'size'])} order=${r.pick(['asc', 'desc'])} keys=['open', 'high', 'low', 'close']`,
  (r) => `cache key: ${symbol(r)}:1m:${count(r)} hit ratio ${number(r)}`,
  (r) => `primary key ${count(r)}, foreign key order_id, key ${hex(r, 12)} not found in cache`,
  (r) => `KEY      VALUE\nrate     ${number(r)}`.split('\n')[r.below(2)] ?? '',
  (r) => `redis GET bars:${symbol(r)}:${count(r)} -> ${count(r)} bytes`,
];

const CHAINS: readonly Line[] = [
  (r) => `tx ${hex(r, 64)} confirmed in ${hex(r, 64)}`,
  (r) => `withdrawal ${count(r)} to bc1q${r.text('qpzry9x8gf2tvdw0s3jn54khce6mua7l', 38)} fee ${number(r)}`,
  (r) => `deposit from ${r.pick(['1', '3'])}${r.text(BASE58, 33)} txid=${hex(r, 64)}`,
  (r) => `{"txHash":"${hash(r)}","from":"${address(r)}","to":"${address(r)}","value":"${r.text(DIGIT, 20)}"}`,
  (r) => `{"hash":"${hex(r, 64)}","signature":"${r.text(BASE58, 88)}","mint":"${solana(r)}"}`,
  (r) => `https://etherscan.io/tx/${hash(r)} https://solscan.io/tx/${r.text(BASE58, 88)}`,
  (r) =>
    `kraken: ${r.pick(['connected', 'XBT/USD', `order O${r.text(ALNUM.slice(26), 5)}-${r.text(ALNUM.slice(26), 5)}`])}`,
  (r) => `coinbase_order_id=${uuid(r)} kucoin_order_id=${hex(r, 24)} kraken_txid=O${r.text(ALNUM.slice(26), 17)}`,
  (r) => `{"exchange":"coinbase","coinbase":"${symbol(r)}","kraken_pair":"XXBTZUSD","client_oid":"${id(r)}"}`,
  (r) => `coinbase: ${address(r)}, kraken: ${hash(r)}, telegram: sent ${count(r)} messages`,
  (r) =>
    `ton EQ${r.text(`${ALNUM}-_`, 46)} tron T${r.text(BASE58, 33)} cosmos1${r.text('qpzry9x8gf2tvdw0s3jn54khce6mua7l', 38)}`,
  (r) => `xrp r${r.text(BASE58, 33)} memo ${hex(r, 16)} ledger ${count(r)} ipfs Qm${r.text(BASE58, 44)}`,
  (r) =>
    `live_mode=true test_run_${count(r)} sk_buff risk_limit=${number(r)} stock_data task_id=${hex(r, 32)} position_${hex(r, 8)}`,
  (r) =>
    `module api-${hex(r, 8)} api-gateway v1.0-rc${r.below(9)} v1.${hex(r, 7)} build ${hex(r, 40)} sha256~ key-${count(r)}`,
  (r) =>
    `GOOG ${number(r)} | AKAM ${number(r)} | EAAA ${number(r)} | SECU ${number(r)} | figd ${count(r)} | pat.${count(r)}`,
];

/** What is written like a key: hashes, cursors and ids with something in front of them. */
const IDS: readonly Line[] = [
  (r) => `tx ${r.pick(['AC', 'SK', 'EC', ''])}${hex(r, 62).toUpperCase()} in block ${count(r)}`,
  (r) => `etag "AC${hex(r, r.pick([30, 38, 62])).toUpperCase()}" sha1 ac${hex(r, 38)}`,
  (r) => `clientOrderId=${r.pick(['api', 'web', 'mob', 'bot', 'x'])}-${uuid(r)} status=${r.pick(['NEW', 'FILLED'])}`,
  (r) => `{"newClientOrderId":"api-${uuid(r)}","orderId":${r.text(DIGIT, 10)},"fills":[]}`,
  (r) => `run ${r.pick(['test', 'live', 'key', 'paper'])}_${hex(r, r.pick([32, 40]))} done in ${number(r)} s`,
  (r) => `cache ${r.pick(['key', 'fc', 'pubkey', 'obj'])}-${hex(r, 32)} ${r.pick(['hit', 'miss'])}`,
  (r) =>
    `{"items":[],"${r.pick(['next_page_token', 'nextPageToken', 'pageToken', 'nextToken', 'continuation_token', 'prev_page_token'])}": "${r.text(`${ALNUM}-_`, 24 + r.below(40))}"}`,
  (r) => `next_page_token=${base64(r, 36)}= page_token=${r.text(ALNUM, 20)} cursor=${r.text(ALNUM, 32)}`,
  (r) => `token: ${solana(r)} name=${symbol(r)} holders=${count(r)}`,
  (r) =>
    `token=${r.pick([`T${r.text(BASE58, 33)}`, `EQ${r.text(`${ALNUM}-_`, 46)}`, hash(r)])} chain=${r.pick(['tron', 'ton', 'sui'])}`,
  (r) => `request_token=${uuid(r)} idempotency_token=${uuid(r)} token=${uuid(r)}`,
  (r) => `nomad: alloc ${uuid(r)} on node ${uuid(r)}; kucoin: order ${hex(r, 24)}; snyk: ok`,
  (r) => `linear: slope ${number(r)}; sonar: ${count(r)}; looker: none; postmark: sent; consul: ${host(r)}`,
  (r) => `deploy api-${hex(r, 10)}-${r.text(LOWER, 5)} image ${host(r)}/bot@sha256:${hex(r, 64)}`,
];

/** In other languages and in colours, as terminals show it. */
const SHOWN: readonly Line[] = [
  (r) => `Цена ${symbol(r)} выросла до ${number(r)}, объём ${count(r)}, заявка ${id(r)} исполнена`,
  (r) => `価格 ${symbol(r)} が ${number(r)} に上昇、数量${count(r)}、注文${id(r)}は約定しました`,
  (r) => `größte Position überschritten: ${count(r)} Stück für ${number(r)} € – nächste Prüfung später ✓`,
  (r) =>
    `\u001b[32m${level(r)}\u001b[0m [\u001b[36m${symbol(r)}\u001b[39m] price=\u001b[1;33m${number(r)}\u001b[0m id=${id(r)}`,
  (r) => `\u001b[90m${stamp(r)}\u001b[0m \u001b[31m✗ ${side(r)}\u001b[0m tx \u001b[4m${hash(r)}\u001b[24m`,
  (r) => `| ${symbol(r)} | ${number(r)} | ${count(r)} | ${side(r)} | ${id(r)} |`,
  (r) => `00000000  ${Array.from({ length: 16 }, () => hex(r, 2)).join(' ')}  |${r.text(`${LOWER}....`, 16)}|`,
  (r) => `[${Array.from({ length: 30 }, () => r.below(256)).join(r.pick([', ', ',', ' ']))}]`,
  (r) => `{${Array.from({ length: 20 }, (_, at) => `"${at}":${r.below(256)}`).join(',')}}`,
  (r) => `${r.text(ALNUM, 4)} ${r.text(ALNUM, 4)} ${r.text(ALNUM, 4)} ${r.text(ALNUM, 4)}-${r.text(ALNUM, 4)}`,
  (r) => `C:\\Users\\bot\\runs\\${count(r)} {"msg":"line one\\nline \\"two\\" ${number(r)}"}`,
];

const PROGRAM: readonly Line[] = [
  (r) => `  File "/bot/src/strategy.py", line ${count(r)}, in on_tick`,
  (r) =>
    `    ${r.pick(['raise ValueError(f"bad price {p}")', 'self.token = token', 'return client.get_key(name)', 'session = requests.Session()', 'key = (symbol, side)', 'password = os.environ["DB_PASSWORD"]', 'secret = config["api_secret"]', 'assert token is not None'])}`,
  (r) => `Traceback (most recent call last):${r.pick(['', ' '])}`,
  (r) => `KeyError: '${r.pick(['api_key', 'secret', 'password', 'token', 'close', 'access_token', 'mnemonic'])}'`,
  (r) =>
    `ValueError: ${r.pick(['api_key is required', 'password must not be empty', "invalid literal for int(): 'x'", 'missing token', 'secret not set', 'API key must be a string'])}`,
  (r) => `    at Strategy.onTick (/bot/src/strategy.js:${count(r)}:${r.below(80)})`,
  (r) =>
    `    at async Client.request (file:///bot/node_modules/ccxt/js/src/base/Exchange.js:${count(r)}:${r.below(80)})`,
  (r) =>
    `TypeError: Cannot read properties of undefined (reading '${r.pick(['token', 'apiKey', 'secret', 'price', 'session'])}')`,
  (r) =>
    `terminate called after throwing an instance of 'std::runtime_error' what(): ${r.pick(['bad token at line', 'no such key', 'session closed'])} ${count(r)}`,
  (r) =>
    `#${r.below(20)}  0x${hex(r, 16)} in Book::update (this=0x${hex(r, 12)}, px=${number(r)}) at src/book.cpp:${count(r)}`,
  (r) => `==${count(r)}== Invalid read of size 8 at 0x${hex(r, 8)}: Feed::parse (feed.cpp:${count(r)})`,
  (r) =>
    `[${stamp(r)}] [console] [${r.pick(['info', 'warning', 'debug'])}] session ${r.pick(['opened', 'closed', 'expired', 'started', 'resumed'])} with ${host(r)}`,
  (r) => `session: ${r.pick(['opened', 'asia', 'london', 'new_york', 'regular', 'pre-market', 'closed'])}`,
  (r) => `session_id=${uuid(r)} user=${count(r)}`,
  (r) =>
    `trading session ${r.pick(['open', 'close'])} at ${stamp(r)}, session=${r.pick(['RTH', 'ETH', 'US', 'regular'])}`,
  (r) => `{"session":"${r.pick(['regular', 'extended', uuid(r)])}","calendar":"XNYS","sessions":${count(r)}}`,
  (r) => `max_tokens: ${count(r)}`,
  (r) => `usage: prompt_tokens=${count(r)} completion_tokens=${count(r)} total_tokens=${count(r)}`,
  (r) => `{"usage":{"input_tokens":${count(r)},"output_tokens":${count(r)},"cache_read_input_tokens":${count(r)}}}`,
  (r) => `rate limit: ${count(r)} tokens left in bucket, refill ${number(r)} tokens/s`,
  (r) => `tokens=${count(r)} tokenizer=${r.pick(['cl100k_base', 'bpe'])}`,
  (r) => `tokenized ${count(r)} words, token ${count(r)} of ${count(r)}`,
  (r) => `GET https://${host(r)}/api/v3/ticker?symbol=${symbol(r)}&limit=${count(r)} 200 ${number(r)} ms`,
  (r) => `wss://${host(r)}/stream?streams=btcusdt@trade/ethusdt@depth connected`,
  (r) => `http://${host(r)}/path?mail=bot@example.com&next=/a:b`,
  (r) => `mail to trader.${count(r)}@example.com: report ${stamp(r)}`,
  (r) => `connected to postgres://${host(r).split(':')[0] ?? ''}:5432/bots as bot`,
  (_r) => `ssh://git@github.com/x/y.git git@github.com:x/y.git https://user@example.com/x`,
  (r) => `commit ${hex(r, 40)} (HEAD -> main, tag: v1.${count(r)})`,
  (r) => `sha256:${hex(r, 64)} md5=${hex(r, 32)} etag="${hex(r, 32)}"`,
  (r) => `integrity sha512-${base64(r, 86)}==`,
  (r) => `"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA${base64(r, 200 + r.below(400))}="`,
  (r) => `request_id=${id(r)} trace_id=${hex(r, 32)} span_id=${hex(r, 16)} duration=${number(r)}ms`,
  (r) => `{"traceparent":"00-${hex(r, 32)}-${hex(r, 16)}-01","x-request-id":"${uuid(r)}"}`,
  (r) => `x-mbx-used-weight: ${count(r)} x-mbx-order-count-10s: ${count(r)}`,
  (r) => `cf-ray: ${hex(r, 16)}-AMS x-amz-request-id: ${r.text(ALNUM.slice(26), 16)} x-cache: Miss from cloudfront`,
  (r) => `content-type: application/json; charset=utf-8 content-length: ${count(r)}`,
  (r) => `${stamp(r)} ${level(r)} websocket ping ${number(r)}ms seq=${r.text(DIGIT, 12)} lag=${count(r)}`,
  (r) =>
    `uuid ${uuid(r)} ulid 01${r.text('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 24)} run_01${r.text('0123456789abcdefghjkmnpqrstvwxyz', 24)}`,
  (r) => `Uint8Array(64) [ ${Array.from({ length: 12 }, () => r.below(256)).join(', ')} ]`,
  (r) => `weights=[${Array.from({ length: 30 }, () => number(r)).join(',')}]`,
  (r) => `embedding: [${Array.from({ length: 40 }, () => `-0.${r.text(DIGIT, 8)}`).join(', ')}]`,
  (r) => `<Order id="${id(r)}" px="${number(r)}" qty="${count(r)}" side="${side(r)}"/>`,
  (r) =>
    `8=FIX.4.4|9=${count(r)}|35=D|49=BOT|56=EXCH|34=${count(r)}|11=${id(r)}|55=${symbol(r)}|54=1|38=${count(r)}|44=${number(r)}|10=123|`,
  (r) =>
    `DEBUG:urllib3.connectionpool:https://${host(r)}:443 "GET /0/public/Ticker?pair=XBTUSD HTTP/1.1" 200 ${count(r)}`,
];

const NEAR: readonly Line[] = [
  (r) => `api_key ${r.pick(['is missing', 'was rejected', 'loaded', 'ok', 'expired', 'not found', 'rotated'])}`,
  (r) =>
    `api_key: ${r.pick(['None', 'null', 'missing', 'set', 'true', '', '***', 'required', '<redacted>', '[hidden]', `$${'{API_KEY}'}`, '$API_KEY', '{{ api_key }}', '********', 'your_api_key', 'YOUR_API_KEY', 'xxxxxxxx', 'undefined'])}`,
  (r) =>
    `password: ${r.pick(['required', 'None', 'incorrect', '(empty)', '<hidden>', 'not set', '$PASSWORD', `$${'{DB_PASSWORD}'}`, '********', '••••••••', '[REDACTED]', 'changed', '%s', '{}', '...'])}`,
  (r) =>
    `has_secret=${r.pick(['true', 'false'])} secret_length=${r.below(99)} password_changed_at=${stamp(r).replace(' ', 'T')}`,
  (r) => `token expires in ${count(r)} s, token type bearer, refresh token ok`,
  (r) => `token_type=bearer expires_in=${count(r)} scope=trade`,
  (r) => `bearer of bad news: ${symbol(r)} fell ${number(r)}%`,
  (r) =>
    `basic ${r.pick(['strategy', 'configuration', 'authentication', 'auth'])} ${r.pick(['enabled', 'loaded', 'failed'])}`,
  (r) => `Authorization: ${r.pick(['required', 'missing', 'failed', 'granted', 'pending', 'none'])}`,
  (r) => `authorization ${r.pick(['failed', 'ok'])} for user ${count(r)}`,
  (r) =>
    `authentication ${r.pick(['failed', 'succeeded'])}: ${r.pick(['invalid signature', 'bad nonce', 'timestamp ahead'])}`,
  (r) => `cookie: ${r.pick(['accepted', 'none', 'rejected', 'missing'])} cookies=${r.below(9)}`,
  (r) => `secret sauce: ${r.pick(['momentum', 'mean reversion'])} with window ${count(r)}`,
  (r) => `mnemonic: ${r.pick(['missing', 'not set', 'ok', 'loaded'])}`,
  (r) => `seed: ${count(r)} random_seed=${r.text(DIGIT, 10)} seed=${count(r)}`,
  (r) => `private key ${r.pick(['loaded', 'missing', 'not found', 'rotated', 'is valid', 'file /keys/bot.pem'])}`,
  (r) => `signed with private key, tx ${hash(r)}`,
  (r) => `private key loaded for ${address(r)}, tx ${hash(r)}`,
  (r) => `public key: 0x${hex(r, 66)} address ${address(r)}`,
  (r) => `public_key=${r.text(BASE58, 44)} pubkey: ${hex(r, 64)}`,
  (r) => `wallet ${address(r)} nonce ${count(r)} keystore utc--${stamp(r).slice(0, 10)}`,
  (r) => `-----BEGIN CERTIFICATE----- ${base64(r, 64)}`,
  (r) => `ssh-rsa AAAAB3NzaC1yc2E${base64(r, 200)} bot@host`,
  (r) => `risk-management-${count(r)} task-${hex(r, 32)} disk-${r.text(LOWER, 24)}`,
  (r) => `local_time=${stamp(r).replace(' ', 'T')} local_order_book_${symbol(r)} local_id=${count(r)}`,
  (r) => `platform plat_form sess_ion session_${count(r)} sg.price hf_rate npm_config_cache hf_${r.text(LOWER, 10)}`,
  (r) => `npm_lifecycle_event=start npm_package_version=1.${count(r)}`,
  (r) => `AKIA is a prefix; SK${symbol(r)} and ASIA session`,
  (r) => `chat ${r.text(DIGIT, 9)}:Aarhus ${r.text(DIGIT, 10)}:AAPL`,
  (r) => `index=${count(r)} syntax ok, index ${symbol(r)} rebalanced, appendix`,
  (r) => `signature=${r.pick(['valid', 'invalid', 'bad'])} &signature=missing`,
  (r) => `SIGN: ${r.pick(['BUY', 'SELL', '-1', '+1'])} KEY: ${r.pick(['VALUE', symbol(r), 'F5'])}`,
  (r) =>
    `sign=${r.pick(['+', '-'])} design: ${r.pick(['v2', 'done'])} assign=${count(r)} monkey=${count(r)} keyboard: qwerty turkey: ${number(r)}`,
  (r) =>
    `access-key rotation done; ok-access-key header missing; X-MBX-APIKEY ${r.pick(['header missing', 'required', 'not sent'])}`,
  (r) => `ACCESS-SIGN: ${r.pick(['invalid', 'missing', 'expired'])}`,
  (r) => `eyJ is how a JWT begins; eyJh ${r.text(LOWER, 5)}`,
  (_r) => `def login(user: str, password: str, token: Optional[str] = None) -> Session:`,
  (_r) => `client = Client(api_key=api_key, api_secret=self.api_secret, passphrase=config.passphrase)`,
  (_r) => `const { apiKey, secret } = process.env; apiKey: process.env.API_KEY, secret: config.secret`,
  (_r) => `usage: bot [--api-key KEY] [--password PASSWORD] [--token TOKEN] [--secret-file PATH]`,
  (_r) => `{"api_key":null,"secret":false,"password":"","token":"","passphrase":"********"}`,
  (r) =>
    `{"api_key_id":null,"has_password":true,"token_count":${count(r)},"secret_name":"prod/bot","key_id":"${id(r)}"}`,
  (_r) => `{"error":{"code":-2015,"msg":"Invalid API-key, IP, or permissions for action."}}`,
  (r) => `{"retCode":10003,"retMsg":"API key is invalid.","result":{},"time":${1_700_000_000_000 + r.below(1e9)}}`,
  (_r) => `{"error":["EAPI:Invalid key"]} {"error":["EAPI:Invalid signature"]}`,
  (r) => `GET /token/${address(r)}/price 200; /tokens?ids=${r.pick(['bitcoin', 'solana'])}`,
  (_r) => `Password authentication failed for user "bot"; password prompt skipped`,
  (r) => `credentials: ${r.pick(['loaded from keychain', 'ok', 'expired', 'none'])}`,
  (r) => `loading secrets from /run/secrets/api_key, secrets: ${r.below(9)} found`,
  (r) =>
    `secret: ${r.pick(['/run/secrets/bot', 'vault:secret/data/bot', 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:bot', 'file:///etc/bot/secret'])}`,
  (r) => `token bucket: capacity=${count(r)} token_rate=${number(r)}`,
  (r) => `passed ${count(r)} tests, pass: ${count(r)}, bypass=true, compass: north, passenger=${count(r)}`,
  (r) => `fetched next page token ${count(r)}; next_page_token=${r.pick(['null', 'None'])}`,
];

/** What most bots print most of the time: text of a logger, and metrics. */
const DAILY: readonly Line[] = [
  (r) => `${stamp(r)} INFO [${symbol(r)}] fetched prices n=${count(r)} latency_ms=${number(r)} id=${hex(r, 8)}`,
  (r) => `${stamp(r)} INFO [${symbol(r)}] iteration complete n=${count(r)} orders=${r.below(9)} pnl=${number(r)}`,
  (r) => `INFO:strategy:${symbol(r)} sma_fast=${number(r)} sma_slow=${number(r)} position=${side(r)}`,
  (r) => `[${stamp(r)}] [info] order book snapshot ${symbol(r)} bid=${number(r)} ask=${number(r)} depth=${count(r)}`,
  (r) =>
    `{"_metric":"price","symbol":"${symbol(r)}","value":${number(r)},"change_pct":${number(r)},"timestamp":${1_700_000_000_000 + r.below(1e9)}}`,
];

const COLOURS = [31, 32, 33, 34, 35, 36, 90];
const coloured = (r: SeededRandom, text: string): string => `\u001b[${r.pick(COLOURS)}m${text}\u001b[0m`;

const COLOURED: readonly Line[] = [
  (r) =>
    `${coloured(r, stamp(r))} ${coloured(r, level(r))} [${coloured(r, symbol(r))}] price=${coloured(r, number(r))} volume=${count(r)}`,
  (r) =>
    `\u001b[1;32m✓\u001b[0m filled ${number(r)} ${symbol(r)} @ ${coloured(r, number(r))} (${coloured(r, side(r))})`,
  (r) => `[${coloured(r, 'info')}] order book snapshot ${symbol(r)} bid=${coloured(r, number(r))} depth=${count(r)}`,
];

const FOREIGN: readonly Line[] = [
  (r) => `Цена ${symbol(r)} выросла до ${number(r)} долларов, объём ${count(r)}, заявка исполнена полностью`,
  (r) => `价格上涨到 ${number(r)} 美元，成交量 ${count(r)}，${symbol(r)}订单已完全成交，等待下一个信号出现`,
  (r) => `größte Position überschritten: ${count(r)} Stück für ${number(r)} € – höchster Wert, nächste Prüfung später`,
  (r) => `${stamp(r)} ${level(r)} fetched prices n=${count(r)} for ${symbol(r)} from ${host(r)}`,
];

const ALL: readonly Line[] = [...MARKET, ...CHAINS, ...IDS, ...SHOWN, ...COLOURED, ...FOREIGN, ...PROGRAM, ...NEAR];

function* pickedLines(kinds: readonly Line[], count: number, random: SeededRandom): Generator<string> {
  for (let i = 0; i < count; i++) yield random.pick(kinds)(random);
}

/** Lines as loggers colour them for a terminal. */
export const colouredLines = (count: number, random: SeededRandom): Generator<string> =>
  pickedLines(COLOURED, count, random);

/** Lines of which most are in other languages than English. */
export const foreignLines = (count: number, random: SeededRandom): Generator<string> =>
  pickedLines(FOREIGN, count, random);

/** Lines of an ordinary day, a fifth of them metrics. */
export function* dailyLines(count: number, random: SeededRandom): Generator<string> {
  for (let i = 0; i < count; i++) yield random.pick(DAILY)(random);
}

/** Ordinary lines, each kind in turn; none holds a newline. */
export function* ordinaryLines(count: number, random: SeededRandom): Generator<string> {
  for (let i = 0; i < count; i++) {
    const line = ALL[i % ALL.length];
    if (line !== undefined) yield line(random);
  }
}
