/** A schema that marks secrets in every way that it can. */
export const SCHEMA = {
  type: 'object',
  properties: {
    symbol: { type: 'string' },
    pin: { type: 'integer', 'x-secret': true },
    pass: { type: 'string', format: 'password' },
    hidden: { type: 'string', writeOnly: true },
    accounts: { type: 'array', items: { $ref: '#/definitions/account' } },
    exchange: { oneOf: [{ type: 'string' }, { type: 'object', properties: { sign: { 'x-secret': true } } }] },
    bundle: { type: 'object', 'x-secret': true },
  },
  patternProperties: { '^wallet-': { format: 'password' } },
  definitions: { account: { type: 'object', properties: { id: {}, phrase: { allOf: [{ writeOnly: true }] } } } },
};

/** A configuration by it, with secrets that only their names tell as well. */
export const CONFIG = {
  symbol: 'AAPL',
  pin: 4711,
  pass: 'p-value',
  hidden: 'h-value',
  accounts: [
    { id: 'one', phrase: 'ph-0' },
    { id: 'two', phrase: 'ph-1' },
  ],
  exchange: { sign: 's-value', fast: true },
  bundle: { a: 'b-a', list: ['b-l', 7], flag: true, empty: '' },
  'wallet-main': 'w-value',
  api_key: 'k-value',
  nested: { client_secret: 'c-value', password: 12, plain: 'visible' },
};
