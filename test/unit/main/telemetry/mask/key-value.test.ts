import { describe, expect, it } from 'vitest';
import { createMasker } from '../../../../../src/main/telemetry/mask/masker.ts';

const masker = createMasker([]);
const mask = (line: string): string => masker.maskLine(line).text;

describe('key = value', () => {
  it.each([
    'password=«hunter2»',
    'PASSWORD = «hunter2» next',
    'password: «hunter2», user: bob',
    'user=bob,password=«hunter2»,host=db',
    'user=bob&api_secret=«abcDEF»&x=1',
    'password="«two words»" next',
    "password='«it is»' next",
    'BINANCE_API_KEY=«abc»',
    'binance.apiSecret => «abc» ok',
    '{"apiKey":"«abc»","symbol":"BTC"}',
    '{"apiKey": "«a\\"b»", "x": 1}',
    '{"msg":"login with {\\"password\\":\\"«pa ss»\\"} failed"}',
    '{"msg":"{\\"a\\":\\"{\\\\\\"secret\\\\\\":\\\\\\"«x y»\\\\\\"}\\"}"}',
    '{"msg":"api_key=«abc»\\nnext line"}',
    "{'apiKey': '«k1»', 'secret': '«s1»', 'timeout': 30000}",
    "config['secret_key'] = '«abc»'",
    'API key: «0f9e8d7c»',
    'access token: «0f9e8d7c»',
    'run --password «hunter2» --verbose',
    '<password>«hunter2»</password>',
    "('x-api-key', '«abc»')",
    "password=b'«raw»'",
    'private_key=«0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80»',
    'mnemonic: «test test test test test test test test test test test junk»',
    'seed phrase = "«legal winner thank year»"',
    '{"mnemonic":"«legal winner thank»"}',
    'DB_PASS=«x1y2» (from env)',
    '{"password":"«12345678»"}',
    '{"credentials":"«abc»"}',
    'token=«3f9a8b7c6d5e4f3a2b1c»',
    '{"token":"«AbCdEf0123456789AbCdEf»"}',
    'session_id=«s1a2b3c4d5e6f7a8b9»',
    'passwd=«a,b»',
    'passwd=«a)b», x',
    'password=«pässwörd» naïve',
    'before 😀 password=«hunter2» after',
    'secret="«never closed',
    '{"name":"DB_PASSWORD","value":"«hunter2»"}',
    'secretKey: [«1,22,254,4,5,6,7,8,9,10,11,12,13,14,15,16»]',
    'seed phrase: «legal winner thank year wave sausage worth useful legal winner thank yellow»',
  ])('%s', (sample) => {
    const line = sample.replaceAll(/[«»]/g, '');
    const expected = sample.replaceAll(/«[^»]*(?:»|$)/g, '***');
    expect(mask(line)).toBe(expected);
    expect(mask(expected)).toBe(expected);
  });

  it.each([
    'max_tokens: 4096',
    '{"max_tokens":4096,"token":"ETH","token_pair":"ETH/USDC"}',
    'token: ETH',
    'token=0x6b175474e89094c44da98b954eedeac495271d0f',
    'token_id=71321045679252212594626385532706912750332728571942532289631379312455583992563',
    'has_password=true password_length=12 password: null',
    '{"api_key":null,"secret":true,"password":12345678}',
    'API key: invalid',
    'api_key is missing',
    'password: required',
    'Error: secret must be set',
    'monkey=banana keyboard: qwerty pinned=yes',
    'PWD=/home/bot',
    'client = Client(api_key=api_key, api_secret=self.api_secret)',
    'apiKey: process.env.API_KEY,',
    'def login(user: str, password: str) -> None:',
    '    self.password = settings.password',
    'app.secrets.loader: loaded 3 entries',
    '{"credentials":{"exchange":"binance"}}',
    'secret=',
    'password=""',
    'password=***',
    'session_id=0b9f4c1e-8a55-4f65-9c1e-0a1b2c3d4e5f',
    'session: 2026-11-20T10:00:00.000Z',
    'seed: 42',
    'token://path secret://vault',
    'secret: /run/secrets/bot',
    '{"secret":"arn:aws:secretsmanager:eu-west-1:123456789012:secret:bot"}',
    'password=$DB_PASSWORD api_key: {{ api_key }} secret: <hidden>',
    'api_key=your_api_key',
    '{"private_key":[1,2,3]}',
  ])('leaves alone: %s', (line) => {
    expect(masker.maskLine(line)).toEqual({ text: line, spans: 0 });
  });
});
