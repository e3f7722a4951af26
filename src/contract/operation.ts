import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

/**
 * Who may call: `open` anyone, `read` any valid key, `operate` keys that may change bots and custom bots, `write` keys
 * that may change the account too, `owner` the local owner.
 */
export type Access = 'open' | 'read' | 'operate' | 'write' | 'owner';

/** `call` answers once, `stream` sends events until closed, `upload` takes the request body as a byte stream. */
export type OperationKind = 'call' | 'stream' | 'upload';

export interface Operation<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  readonly kind: OperationKind;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with `{name}` parts taken from the input's fields of that name. */
  readonly path: string;
  readonly access: Access;
  readonly status: 200 | 201;
  readonly summary: string;
  readonly input: I;
  /** For a stream: one event. */
  readonly output: O;
  /** Codes beyond those that any call can meet (authentication, rate, invalid request, internal). */
  readonly errors: readonly ErrorCode[];
}

type Route = readonly [Operation['method'], string];

const operation =
  (kind: OperationKind) =>
  <I extends z.ZodType, O extends z.ZodType>(
    [method, path]: Route,
    access: Access,
    summary: string,
    input: I,
    output: O,
    extra: { errors?: readonly ErrorCode[]; status?: 201 } = {},
  ): Operation<I, O> => ({
    kind,
    method,
    path,
    access,
    summary,
    input,
    output,
    status: extra.status ?? 200,
    errors: extra.errors ?? [],
  });

/** Answers once. */
export const call = operation('call');
/** Sends events until closed. */
export const stream = operation('stream');
/** Takes the request body as a byte stream. */
export const upload = operation('upload');
