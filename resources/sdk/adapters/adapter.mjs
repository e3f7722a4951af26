// Adapter of the Node SDK for `platform sdk verify`: docs/sdks.md says what it has to do.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import * as sdk from '../node/index.mjs';

const { query, state } = sdk;
const show = (value) => sdk.log(JSON.stringify(value));
/** Arguments as the language has them: {"digits": "1.50"} is text, {"whole": "9"} a bigint. */
function native(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if (value.digits !== undefined) return value.digits;
  if (value.whole !== undefined) return BigInt(value.whole);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, native(item)]));
}
const LEDGER = ['order', 'fill', 'position', 'equity', 'cash_flow', 'adjustment', 'rate', 'price', 'signal'];
const steps = {
  ...sdk,
  parse: () => show([...sdk.parse()]),
  'parse.id': () => show(sdk.parse().id),
  current_timestamp: () => show(Number.isInteger(sdk.current_timestamp()) && sdk.currentTimestamp() >= 1.7e12),
  'state.set': state.set,
  'state.remove': state.remove,
  'state.delete': (key) => show(state.delete(key)),
  'state.exists': (key) => show(state.exists(key)),
  'state.clear': state.clear,
  'state.get': (key, fallback) => show(state.get(key, fallback)),
  'state.get_or': (key, fallback) => show(state.get(key, fallback)),
  'state.list': () => show(state.list()),
  'query.is_query_mode': () => show(query.isQueryMode() && query.is_query_mode()),
  'query.get_params': () => show({ ...query.getParams(), ...query.get_params() }),
  'query.get_config': () => show({ ...query.getConfig(), ...query.get_config() }),
  on_stop: (reason) => sdk.onStop(reason, (given) => sdk.log(`stopped: ${given}`)),
};

async function takeSteps() {
  for (const { fn, args } of JSON.parse(readFileSync(0, 'utf8')).steps) {
    if (!Object.hasOwn(steps, fn)) {
      console.error(`unknown function: ${fn}`);
      process.exit(64);
    }
    try {
      await steps[fn](...(LEDGER.includes(fn) ? args.map(native) : args));
    } catch (error) {
      if (LEDGER.includes(fn)) {
        if (!(error instanceof TypeError)) throw error;
        sdk.log(error.message);
        continue;
      }
      if (!fn.startsWith('state.')) throw error;
      sdk.log('refused');
    }
  }
}

async function answerQueries() {
  query.handler('/echo', (asked) => ({ path: asked.path, params: asked.params, n: asked.get('n', '10') }));
  query.handler('/later', (asked) => new Promise((resolve) => setTimeout(() => resolve(asked.get('n', 'late')), 200)));
  query.handler('/nothing', () => undefined);
  query.handler('/config', () => query.getConfig());
  query.handler('/big', () => 'é'.repeat(512 * 1024));
  query.handler('/broken', () => {
    throw new Error('no luck');
  });
  query.handler('/write', () => state.set('k', 1));
  const child = () => execFileSync('sh', ['-c', 'echo $QUERY_TOKEN']).toString().trim();
  query.handler('/token', () => [process.env.QUERY_TOKEN ?? '', child()]);
  await query.run();
}

await (process.argv[2] === 'query' ? answerQueries() : takeSteps());
