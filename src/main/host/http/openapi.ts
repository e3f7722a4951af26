import { z } from 'zod';
import * as account from '../../../contract/account.ts';
import * as assistant from '../../../contract/assistant.ts';
import * as backup from '../../../contract/backup.ts';
import * as bot from '../../../contract/bot.ts';
import * as botActivity from '../../../contract/bot-activity.ts';
import * as botActor from '../../../contract/bot-actor.ts';
import * as botStats from '../../../contract/bot-stats.ts';
import * as customBot from '../../../contract/custom-bot.ts';
import { ERROR_RULES, type ErrorCode } from '../../../contract/errors.ts';
import * as failure from '../../../contract/failure.ts';
import * as host from '../../../contract/host.ts';
import * as isolation from '../../../contract/isolation.ts';
import { OPERATIONS, type Operation, type OperationKind } from '../../../contract/operations.ts';
import * as preferences from '../../../contract/preferences.ts';
import * as project from '../../../contract/project.ts';
import * as sample from '../../../contract/sample-bot.ts';
import * as state from '../../../contract/state.ts';
import * as storage from '../../../contract/storage-settings.ts';
import * as telemetry from '../../../contract/telemetry.ts';
import * as trial from '../../../contract/trial.ts';
import { PACKAGE_TYPES } from './package-media-types.ts';

type Json = Record<string, unknown>;

/** Every object of the wire, by the name that its module gives it. */
const WIRE_TYPES = Object.entries<unknown>({
  ...{
    ...account,
    ...assistant,
    ...backup,
    ...bot,
    ...botActivity,
    ...botActor,
    ...botStats,
    ...customBot,
    ...failure,
    ...host,
  },
  ...{ ...isolation, ...preferences, ...project, ...sample, ...state, ...storage, ...telemetry, ...trial },
}).filter((one): one is [string, z.ZodObject] => one[1] instanceof z.ZodObject);

/** Codes that any operation can answer with. */
const COMMON: readonly ErrorCode[] = ['INVALID_REQUEST', 'FORBIDDEN', 'RATE_LIMITED', 'INTERNAL'];
const SIGNED_IN: readonly ErrorCode[] = ['AUTHENTICATION_REQUIRED', 'INVALID_API_KEY'];

const BYTES = { type: 'string', format: 'binary' };

/** Media type of an answer. */
const ANSWER_TYPES: Readonly<Record<OperationKind, string>> = {
  call: 'application/json',
  upload: 'application/json',
  stream: 'text/event-stream',
  download: 'application/gzip',
};

const ERROR_SCHEMA = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'hint', 'details', 'request_id'],
      properties: {
        code: { type: 'string', enum: Object.keys(ERROR_RULES) },
        message: { type: 'string' },
        hint: { type: ['string', 'null'], description: 'What to do next' },
        details: { description: 'A list of {path, message, hint} for invalid input' },
        request_id: { type: ['string', 'null'] },
      },
    },
  },
};

class Components {
  readonly schemas: Json = { Error: ERROR_SCHEMA };
  readonly #registry = z.registry<{ id: string }>();

  constructor() {
    for (const [id, schema] of WIRE_TYPES) this.#registry.add(schema, { id });
  }

  /** JSON Schema of a wire type; those of the modules of the contract become references. */
  of(schema: z.ZodType, io: 'input' | 'output'): Json {
    const made = z.toJSONSchema(schema, { io, unrepresentable: 'any', metadata: this.#registry });
    const text = JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/');
    const { $schema: _, $defs, id, ...rest }: Json = JSON.parse(text);
    for (const [name, definition] of Object.entries(($defs ?? {}) as Json)) {
      const { id: _id, ...body } = definition as Json;
      this.schemas[name] = body;
    }
    if (typeof id !== 'string') return rest;
    this.schemas[id] = rest;
    return { $ref: `#/components/schemas/${id}` };
  }
}

function parametersOf(input: Json, operation: Operation): { readonly parameters: Json[]; readonly body: Json | null } {
  const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const properties = (input.properties ?? {}) as Record<string, Json>;
  const required = (input.required ?? []) as string[];
  const rest = Object.keys(properties).filter((name) => !inPath.includes(name));
  const parameter = (name: string, place: 'path' | 'query'): Json => {
    const { description, ...schema } = properties[name] ?? {};
    const about = description === undefined ? {} : { description };
    return { name, in: place, required: place === 'path' || required.includes(name), schema, ...about };
  };
  const parameters = inPath.map((name) => parameter(name, 'path'));
  if (operation.method === 'GET' || operation.method === 'DELETE' || operation.kind === 'upload') {
    return { parameters: [...parameters, ...rest.map((name) => parameter(name, 'query'))], body: null };
  }
  if (rest.length === 0 && input.additionalProperties === false) return { parameters, body: null };
  const body = {
    ...input,
    properties: Object.fromEntries(rest.map((name) => [name, properties[name]])),
    required: required.filter((name) => !inPath.includes(name)),
  };
  return { parameters, body };
}

function errorsOf(operation: Operation): Json {
  const codes = [...COMMON, ...(operation.access === 'open' ? [] : SIGNED_IN), ...operation.errors];
  const byStatus = Map.groupBy(new Set(codes), (code) => ERROR_RULES[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.join(', '),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );
}

function operationObject(name: string, operation: Operation, components: Components): Json {
  const plain = z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' }) as Json;
  const { $schema: _, ...input } = plain;
  const { parameters, body } = parametersOf(input, operation);
  const upload = {
    required: true,
    content: Object.fromEntries(PACKAGE_TYPES.map((type) => [type, { schema: BYTES }])),
  };
  const json = body === null ? null : { required: true, content: { 'application/json': { schema: body } } };
  const requestBody = operation.kind === 'upload' ? upload : json;
  const type = ANSWER_TYPES[operation.kind];
  const answer = operation.answer === 'bot' ? {} : components.of(operation.output, 'output');
  const schema = operation.kind === 'download' ? BYTES : answer;
  return {
    operationId: name,
    tags: [name.split('.')[0]],
    summary: operation.summary,
    description: `Described in ${operation.docs}.`,
    'x-effect': operation.effect,
    ...(operation.access === 'open' ? { security: [] } : {}),
    parameters,
    ...(requestBody === null ? {} : { requestBody }),
    responses: {
      [operation.status]: { description: operation.summary, content: { [type]: { schema } } },
      ...errorsOf(operation),
    },
  };
}

/** OpenAPI 3.1 of the whole HTTP API, from the schemas that validate it. */
export function openApi(version: string): Json {
  const components = new Components();
  const paths: Record<string, Json> = {};
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    const path = paths[operation.path] ?? {};
    path[operation.method.toLowerCase()] = operationObject(name, operation, components);
    paths[operation.path] = path;
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Bot Platform', version, description: 'HTTP API of a Bot Platform host.' },
    security: [{ apiKey: [] }, { bearer: [] }],
    paths,
    components: {
      schemas: components.schemas,
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key or a session token' },
      },
    },
  };
}
