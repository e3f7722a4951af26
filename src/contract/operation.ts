import type { z } from 'zod';
import type { AuditWords } from './audit-words.ts';
import type { ErrorCode } from './errors.ts';
import { LIMITS } from './limits.ts';

/**
 * Callers of an operation: `open` anyone, `read` any valid key, `operate` keys that may change bots and custom bots,
 * `write` keys of the scope full, `owner` an owner of the host. A row's `session` says which of them a key may not call.
 */
export type Access = 'open' | 'read' | 'operate' | 'write' | 'owner';

/**
 * Use of an API key in place of its person: `optional` allows it; `required` does not, only a session or the owner of
 * the machine (the discovery file) may, whatever the scope of the key; `or_own_key` as `required`, but a key may do it
 * to itself.
 */
export type SessionRule = 'optional' | 'required' | 'or_own_key';

/**
 * `call` answers once, `stream` sends events until closed, `upload` takes the request body as a byte stream and its input
 * as query parameters, `download` answers with a file.
 */
export type OperationKind = 'call' | 'stream' | 'upload' | 'download';

/**
 * `read` leaves everything as it was, so it may be done later than it was asked for, or again. `change` adds or sets
 * something that another call sets back. `destructive` ends, removes or replaces what no call brings back, or trades.
 */
export type Effect = 'read' | 'change' | 'destructive';

/** Change that a call makes to a bot on request. */
export type BotChangeKind =
  | 'deploy'
  | 'update'
  | 'start'
  | 'stop'
  | 'restart'
  | 'run'
  | 'arm'
  | 'disarm'
  | 'approve'
  | 'reject'
  | 'delete'
  | 'restore';

/**
 * Form of an answer on HTTP. `json`: it is the body. `bot`: the bot's own answer is the body, the rest goes into
 * headers. `log_in`: its session becomes a cookie, so sockets may not ask for it. `log_out`: the cookie is removed.
 * `bot_list`: a body that is cached, because it is long and often requested.
 */
export type AnswerForm = 'json' | 'bot' | 'bot_list' | 'log_in' | 'log_out';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Operation<
  I extends z.ZodType = z.ZodType,
  O extends z.ZodType = z.ZodType,
  K extends OperationKind = OperationKind,
  E extends Effect = Effect,
> {
  readonly kind: K;
  readonly method: Method;
  /** Path with `{name}` parts taken from the input's fields of that name. */
  readonly path: string;
  readonly access: Access;
  readonly session: SessionRule;
  /** Once its user has chosen a PIN, the PIN must have been entered within the last minutes. */
  readonly asksPin: boolean;
  /** A key for named bots may call it. Always true for operations on one bot, which then reach only those bots. */
  readonly namedBots: boolean;
  readonly effect: E;
  /** The document of this repository, with the heading, that explains the operation. */
  readonly docs: string;
  /** Field of the input that names the subject of a call, for the audit trail; null for no subject. */
  readonly target: string | null;
  /** Change of a bot that the call makes, as the list of the bot's changes shows it; null for calls that the list omits. */
  readonly botChange: BotChangeKind | null;
  /** True if it works on folders of the host's machine: the trail tells a key that it was done, and never on which folder. */
  readonly onMachine: boolean;
  /** `heavy` holds up others while it checks texts or reads packages: it counts by its work, not as one request. */
  readonly cost: 'light' | 'heavy';
  /** Most bytes of a request's body. */
  readonly bodyLimit: number;
  readonly status: 200 | 201;
  readonly summary: string;
  readonly input: I;
  /** For a stream: one event. */
  readonly output: O;
  readonly answer: AnswerForm;
  /** Codes beyond those that any call can meet (authentication, rate, invalid request, internal). */
  readonly errors: readonly ErrorCode[];
  /** Words of its audit entry; null for an operation that changes nothing and leaves no entry. */
  readonly audit: AuditWords | null;
  /** The trail says that it was asked for before it begins: it destroys what the trail's own entry, which comes after it, tells of. */
  readonly auditedFirst: boolean;
  /** A program polls this until its log-in is approved: the audit trail records only that answer. */
  readonly polled: boolean;
  /** True if it answers before the host has taken over the programs that an earlier host left running. */
  readonly beforeRecovery: boolean;
}

/** A GET reads; every other method changes something unless its row says otherwise. */
type EffectOf<M extends Method> = M extends 'GET' ? 'read' : 'change';

interface Extra<E extends Effect, I extends z.ZodType> {
  readonly errors?: readonly ErrorCode[];
  readonly status?: 201;
  readonly audit?: AuditWords;
  readonly effect?: E;
  readonly docs?: string;
  readonly target?: keyof z.input<I> & string;
  readonly botChange?: BotChangeKind;
  readonly cost?: 'heavy';
  readonly bodyLimit?: number;
  readonly namedBots?: true;
  readonly answer?: AnswerForm;
  readonly polled?: true;
  readonly auditedFirst?: true;
  readonly beforeRecovery?: true;
}

const KEYS = 'docs/api.md#keys';

/** Settings that all rows of one kind share. */
interface Common {
  readonly session?: SessionRule;
  readonly asksPin?: true;
  readonly docs?: string;
  readonly onMachine?: true;
}

const operation =
  <K extends OperationKind>(kind: K, { session = 'optional', asksPin, docs, onMachine }: Common = {}) =>
  <const M extends Method, I extends z.ZodType, O extends z.ZodType, E extends Effect = EffectOf<M>>(
    [method, path]: readonly [M, string],
    access: Access,
    summary: string,
    input: I,
    output: O,
    extra: Extra<E, I> = {},
  ): Operation<I, O, K, NoInfer<E>> => ({
    kind,
    method,
    path,
    access,
    session,
    asksPin: asksPin ?? false,
    summary,
    input,
    output,
    namedBots: extra.namedBots ?? path.includes('{bot_id}'),
    effect: extra.effect ?? ((method === 'GET' ? 'read' : 'change') as E),
    docs: extra.docs ?? docs ?? (path.includes('/auth') || path.includes('/keys') ? KEYS : 'docs/api.md#resources'),
    target: extra.target ?? /\{(\w+)\}/.exec(path)?.[1] ?? null,
    botChange: extra.botChange ?? null,
    onMachine: onMachine ?? false,
    cost: extra.cost ?? 'light',
    bodyLimit: extra.bodyLimit ?? (access === 'open' ? LIMITS.openRequestBytes : LIMITS.requestBytes),
    status: extra.status ?? 200,
    answer: extra.answer ?? 'json',
    errors: [...(asksPin === true ? (['PIN_REQUIRED', 'PIN_RESET'] as const) : []), ...(extra.errors ?? [])],
    audit: extra.audit ?? null,
    polled: extra.polled ?? false,
    auditedFirst: extra.auditedFirst ?? false,
    beforeRecovery: extra.beforeRecovery ?? false,
  });

/** Answers once. */
export const call = operation('call');
/** Answers once, and never to an API key: it changes rights, or acts for the person at this machine. */
export const callInPerson = operation('call', { session: 'required', docs: KEYS });
/** As callInPerson, and asks for the PIN of a user who has one: it changes who may act as whom, or who is told. */
export const callWithPin = operation('call', { session: 'required', asksPin: true, docs: KEYS });
/** As callInPerson, but a key may do it to itself; the input names the key as `key_id`. */
export const callInPersonOrOnOwnKey = operation('call', { session: 'or_own_key', docs: KEYS });
/** Sends events until closed. */
export const stream = operation('stream', { docs: 'docs/api.md#live' });
/** As `stream`, and never to an API key. */
export const streamInPerson = operation('stream', { session: 'required', docs: 'docs/api.md#live' });
/** Takes the request body as a byte stream. */
export const upload = operation('upload');
/** Answers with a file. */
export const download = operation('download');

const ON_PROJECT = { session: 'required', docs: 'docs/editor.md#who-may', onMachine: true } as const;
/** Answers once, about a project folder; never to an API key. */
export const callOnProject = operation('call', ON_PROJECT);
/** Sends events of a project folder until closed; never to an API key. */
export const streamOnProject = operation('stream', ON_PROJECT);
