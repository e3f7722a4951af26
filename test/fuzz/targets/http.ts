import { z } from 'zod';
import { ERROR_RULES, type ErrorCode } from '../../../src/contract/errors.ts';
import { OPERATIONS, type Operation, type OperationName } from '../../../src/contract/operations.ts';
import { isJsonObject } from '../../../src/shared/json.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { type FuzzAnswer, type FuzzRequest, fuzzHost } from '../host-session.ts';
import { mutateJson, mutateText, ODD_NUMBERS } from '../mutate.ts';
import { expectThat, type FuzzTarget } from '../target.ts';

/** `host.stop` would stop the host. */
const NAMES = (Object.keys(OPERATIONS) as OperationName[]).filter((name) => name !== 'host.stop');
/** Codes that any call can be answered with (contract/operation.ts). */
const COMMON: readonly ErrorCode[] = [
  'INVALID_REQUEST',
  'AUTHENTICATION_REQUIRED',
  'INVALID_API_KEY',
  'FORBIDDEN',
  'TOO_LARGE',
  'RATE_LIMITED',
  'UNSUPPORTED_MEDIA_TYPE',
  'METHOD_NOT_ALLOWED',
  'ROUTE_NOT_FOUND',
];

/** Good values of fields, by their names; stand-ins are replaced by what the host has. */
const VALUES: Readonly<Record<string, unknown>> = {
  bot_id: '$bot',
  user_id: '$user',
  project_id: '$project',
  name: 'fuzz',
  version: '1.0.0',
  type: 'scheduled/fuzz',
  schedule: '0 0 1 1 *',
  config: { n: 1, api_key: 'some secret text' },
  config_patch: { n: 2 },
  options: { timeout_sec: 5, overlap: 'skip' },
  path: 'bot.mjs',
  query_path: '/status',
  params: { a: 'b', n: 1 },
  timeout_sec: 10,
  key: 'bot_state',
  dir: '$dir/two',
  date: '2024-01-02',
  date_range: '2024-01-01/2024-01-05',
  run_id: 'run_0',
  runtime: 'nodejs22',
  password: 'a long enough password',
  new_password: 'a long enough password',
  config_yaml: 'name: fuzz\nversion: "1.0.0"\n',
  schema_json: '{"type":"object"}',
};

/** A value of a JSON schema as zod writes it; of a field with a known name, its good value. */
function sample(schema: unknown, random: SeededRandom, name = ''): unknown {
  if (Object.hasOwn(VALUES, name)) return VALUES[name];
  if (!isJsonObject(schema)) return 'x';
  const { anyOf, type, properties, required, items, minimum } = schema;
  if (Array.isArray(schema.enum)) return random.pick(schema.enum);
  if (Array.isArray(anyOf)) return sample(random.pick(anyOf), random);
  if (type === 'object') {
    const must = Array.isArray(required) ? required : [];
    const fields = Object.entries(isJsonObject(properties) ? properties : {});
    const chosen = fields.filter(([key]) => must.includes(key) || random.below(2) === 0);
    return Object.fromEntries(chosen.map(([key, field]) => [key, sample(field, random, key)]));
  }
  if (type === 'array') return [sample(items, random)];
  if (type === 'integer' || type === 'number') return typeof minimum === 'number' && minimum > 0 ? minimum : 20;
  if (type === 'boolean') return random.below(2) === 0;
  return type === 'null' ? null : 'text';
}

const schemas = new Map<OperationName, unknown>();

function schemaOf(name: OperationName): unknown {
  const known = schemas.get(name) ?? z.toJSONSchema(OPERATIONS[name].input, { io: 'input', unrepresentable: 'any' });
  schemas.set(name, known);
  return known;
}

/** Stand-ins keep their `$`: they are replaced when the request is sent. */
const encoded = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return encodeURIComponent(text.slice(0, 4000).toWellFormed()).replaceAll('%24', '$');
};

interface Asked extends FuzzRequest {
  readonly name: OperationName;
}

function requestOf(name: OperationName, input: unknown, random: SeededRandom): Asked {
  const { method, path, kind }: Operation = OPERATIONS[name];
  const fields = isJsonObject(input) ? input : {};
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const address = path.replaceAll(/\{(\w+)\}/g, (_, field: string) => encoded(fields[field] ?? VALUES[field] ?? 'x'));
  const rest = Object.fromEntries(Object.entries(fields).filter(([field]) => !inPath.includes(field)));
  const headers = { 'content-type': random.below(20) === 0 ? 'text/plain' : 'application/json' };
  if (method === 'GET' || method === 'DELETE') {
    const query = Object.entries(rest).map(([field, value]) => `${encoded(field)}=${encoded(value)}`);
    if (random.below(30) === 0) query.push(...query);
    return { name, method, path: `${address}?${query.join('&')}`, headers: {}, body: null };
  }
  const body = kind === 'upload' ? 'not a package' : JSON.stringify(isJsonObject(input) ? rest : input);
  if (random.below(40) === 0) {
    const levels = random.below(200_000);
    const deep = (body ?? '').replace(/:("[^"]*"|\d+)/, () => `:${'['.repeat(levels)}${']'.repeat(levels)}`);
    return { name, method, path: address, headers, body: deep };
  }
  const broken = random.below(6) === 0 ? mutateText(random, body ?? '', ['{', '}', '"', ',', '\0', '1e999']) : body;
  return { name, method, path: address, headers, body: broken ?? '' };
}

/** A folder that is opened or made as a project stays below the folder of the run. */
function caged(name: OperationName, input: unknown, random: SeededRandom): unknown {
  if (!(name === 'projects.open' || name === 'projects.create') || !isJsonObject(input)) return input;
  const dir = random.pick(['$dir/one', '$dir/two', '$dir/none', '$dir/a/../b', 'relative', '', '$dir/\0', 7, null]);
  return { ...input, dir };
}

function judge(name: OperationName, { status, text }: FuzzAnswer): void {
  if (text === null) return;
  const operation: Operation = OPERATIONS[name];
  // A package, which begins as gzip does.
  if (operation.kind === 'download' && status === operation.status) {
    expectThat(text.charCodeAt(0) === 0x1f, `${name} answers no package: ${text.slice(0, 300)}`);
    return;
  }
  const value: unknown = JSON.parse(text);
  if (status === operation.status) {
    // The body of a query is the handler's own answer.
    const { success, error } = name === 'bots.query' ? z.unknown().safeParse(value) : operation.output.safeParse(value);
    expectThat(success, `${name} answers what its row does not promise: ${error?.message}`);
    return;
  }
  const error = isJsonObject(value) && isJsonObject(value.error) ? value.error : null;
  const code = String(error?.code);
  expectThat(Object.hasOwn(ERROR_RULES, code), `${name} answers ${status} without a code: ${text.slice(0, 300)}`);
  const known = code as ErrorCode;
  // Headers, of which the address is one, are too large in a way of their own: 431 (docs/errors.md).
  const usual = known === 'TOO_LARGE' && status === 431 ? 413 : status;
  expectThat(known !== 'INTERNAL' && ERROR_RULES[known].status === usual, `${name}: ${status} ${text.slice(0, 500)}`);
  // An address whose parameters were mutated may be that of another row.
  const promised = Object.values<Operation>(OPERATIONS).some((one) => one.errors.includes(known));
  expectThat(promised || COMMON.includes(known), `${name} answers with a code that no row names: ${known}`);
  expectThat(typeof error?.message === 'string' && error.message !== '', `${name}: an error without words`);
}

/** Requests of every row of the operation table, with parts that are wrong, to a real host. */
export const http: FuzzTarget = {
  name: 'http',
  limitMs: 30_000,
  make(random: SeededRandom) {
    const name = random.pick(NAMES);
    let input = sample(schemaOf(name), random);
    if (name === 'bots.delete' || name === 'projects.forget') input = { bot_id: 'bot_x', project_id: 'prj_x' };
    for (let edits = random.below(3); edits > 0; edits--) input = mutateJson(random, input);
    if (random.below(40) === 0) input = Object.fromEntries([['limit', random.pick(ODD_NUMBERS)]]);
    return JSON.stringify(requestOf(name, caged(name, input, random), random));
  },
  async open(dir) {
    const host = await fuzzHost(dir);
    return {
      async run(text) {
        const asked: Asked = JSON.parse(text);
        judge(asked.name, await host.send(asked));
        await host.settle();
      },
      close: () => host.close(),
    };
  },
};
