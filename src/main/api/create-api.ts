import type { Readable } from 'node:stream';
import { PlatformError } from '../../contract/errors.ts';
import {
  type CallName,
  OPERATIONS,
  type OperationName,
  type Output,
  type Parsed,
  type StreamName,
  type UploadName,
} from '../../contract/operations.ts';
import { isJsonObject } from '../../isomorphic/json.ts';
import { toStorageError } from '../store/storage-error.ts';
import { checkAccess } from './access.ts';
import { accountOperations } from './account-operations.ts';
import type { Api, CallContext, StreamSink } from './api.ts';
import { botOperations, dataOperations } from './bot-operations.ts';
import { catalogOperations } from './catalog-operations.ts';
import { checkInput } from './check-input.ts';
import type { Caller, Handlers } from './handlers.ts';
import { hostOperations } from './host-operations.ts';
import { preferenceOperations } from './preference-operations.ts';
import { projectOperations, streamProject } from './project-operations.ts';
import { sampleOperations } from './sample-operations.ts';
import type { Services } from './services.ts';
import { storageOperations } from './storage-operations.ts';
import { streamEvents, streamLogs } from './streams.ts';

/** Fields that name what an operation is about, most telling first. */
const TARGETS = ['bot_id', 'key_id', 'user_id', 'project_id', 'dir', 'name', 'user_code'] as const;
const TARGET_CHARS = 200;

function targetOf(input: unknown): string | null {
  if (typeof input !== 'object' || input === null) return null;
  for (const field of TARGETS) {
    const value: unknown = Object.getOwnPropertyDescriptor(input, field)?.value;
    if (typeof value === 'string') return value.slice(0, TARGET_CHARS);
  }
  return null;
}

/** What an upload was about: its package alone names it. */
function uploadTarget(result: unknown): string | null {
  return isJsonObject(result) ? targetOf(result.custom_bot) : null;
}

/** Only how somebody likes to see things: it would fill the trail. */
const UNTOLD: ReadonlySet<OperationName> = new Set(['preferences.set']);

/** Open to whoever may read, and changes something all the same. */
const TOLD: ReadonlySet<OperationName> = new Set(['auth.logout']);

/** A program asks every few seconds whether it was approved; only the answer that lets it in is told. */
function isPolling(name: OperationName, result: unknown): boolean {
  return name === 'auth.device_poll' && !(isJsonObject(result) && typeof result.key === 'string');
}

/** Only the owner may, and by POST, but nothing changes by it: an editor asks for these all the time. */
const PROJECT_READS: ReadonlySet<OperationName> = new Set(['projects.search', 'projects.check']);

/** What changes something or lets somebody in is audited. */
function isAudited(name: OperationName, context: CallContext): boolean {
  if (context.audit === 'none' || PROJECT_READS.has(name)) return false;
  if (UNTOLD.has(name) || TOLD.has(name)) return TOLD.has(name);
  const { access, method } = OPERATIONS[name];
  return method !== 'GET' && access !== 'read';
}

/** Operations that answer before the host has taken over what an earlier one left running. */
const BEFORE_RECOVERY: ReadonlySet<OperationName> = new Set(['host.health', 'auth.status']);

/**
 * These check texts of users for as long as their limits allow and hold up everybody meanwhile, or read whole packages:
 * they count by work, not by waiting.
 */
const COSTLY: ReadonlySet<OperationName> = new Set([
  'custom_bots.validate',
  'custom_bots.files',
  'custom_bots.diff',
  'bots.deploy',
  'bots.update',
  'projects.check',
]);

/** Api over the services. Everything but a health check waits until `recovered` is settled. */
export function createApi(services: Services, recovered: Promise<void>): Api {
  const handlers: Handlers = {
    ...hostOperations(services),
    ...storageOperations(services),
    ...preferenceOperations(services),
    ...accountOperations(services),
    ...catalogOperations(services),
    ...sampleOperations(services),
    ...projectOperations(services),
    ...botOperations(services),
    ...dataOperations(services),
  };

  let ready = false;
  recovered.then(
    () => {
      ready = true;
    },
    () => undefined, // Whoever waits for it is told.
  );
  const mustWait = (name: OperationName): boolean => !ready && !BEFORE_RECOVERY.has(name);
  const enter = (name: OperationName, context: CallContext): Caller => {
    const { principal } = context;
    checkAccess(name, principal);
    return { ...context, userId: principal?.userId ?? '', botIds: principal?.botIds ?? null };
  };

  /** Who a log-in has let in: nobody was known before it. */
  const letIn = (result: unknown): { readonly userId: string | null; readonly keyId: string | null } => {
    if (!isJsonObject(result)) return { userId: null, keyId: null };
    const { user, key } = result;
    if (isJsonObject(user) && typeof user.user_id === 'string') return { userId: user.user_id, keyId: null };
    return typeof key === 'string' ? services.auth.authenticate(key) : { userId: null, keyId: null };
  };

  const audited = async <T>(name: OperationName, input: unknown, context: CallContext, work: () => Promise<T>) => {
    const at = services.now();
    const started = performance.now();
    const note = (outcome: string, result: unknown, target = targetOf(input)): void => {
      const { userId, keyId } = context.principal ?? letIn(result);
      services.auth.record({
        at,
        userId,
        method: context.principal?.method ?? 'none',
        keyId,
        client: context.client,
        operation: name,
        target,
        outcome,
        durationMs: performance.now() - started,
      });
    };
    try {
      const result = await work();
      if (!isPolling(name, result)) note('ok', result, targetOf(input) ?? uploadTarget(result));
      return result;
    } catch (error) {
      if (!isPolling(name, null)) note(error instanceof PlatformError ? error.code : 'INTERNAL', null);
      throw error;
    }
  };

  /** Where a full disk or a damaged control database gets its code, whatever asked for the work. */
  const stored = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw toStorageError(error);
    }
  };

  return {
    call<N extends CallName>(name: N, input: unknown, context: CallContext): Promise<Output<N>> {
      const work = async (): Promise<Output<N>> => {
        const caller = enter(name, context);
        if (mustWait(name)) await recovered;
        const handler: (input: Parsed<N>, caller: Caller) => Output<N> | Promise<Output<N>> = handlers[name];
        return handler(checkInput(OPERATIONS[name].input, input) as Parsed<N>, caller);
      };
      const weighed = COSTLY.has(name) ? () => context.rate.weighed(context.who, work) : work;
      return stored(isAudited(name, context) ? audited(name, input, context, weighed) : weighed());
    },

    stream: async (name: StreamName, input: unknown, context: CallContext, sink: StreamSink) => {
      const caller = enter(name, context);
      if (mustWait(name)) await recovered;
      if (name === 'bots.stream') {
        return streamEvents(services, caller, checkInput(OPERATIONS['bots.stream'].input, input), sink);
      }
      if (name === 'projects.stream') {
        return streamProject(services, caller, checkInput(OPERATIONS['projects.stream'].input, input), sink);
      }
      return streamLogs(services, caller, checkInput(OPERATIONS['logs.stream'].input, input), sink);
    },

    upload(name: UploadName, body: Readable, context: CallContext) {
      const work = async (): Promise<Output<UploadName>> => {
        const { userId } = enter(name, context);
        if (mustWait(name)) await recovered;
        const { record, created, warnings } = await services.catalog.publish(userId, body);
        return { custom_bot: record, created, warnings };
      };
      return stored(isAudited(name, context) ? audited(name, null, context, work) : work());
    },
  };
}
