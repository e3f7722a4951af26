import type { Readable } from 'node:stream';
import { type AuditWords, WAITING } from '../../../contract/audit-words.ts';
import { PlatformError } from '../../../contract/errors.ts';
import {
  type CallName,
  type DownloadName,
  OPERATIONS,
  type OperationName,
  type Output,
  type Parsed,
  type StreamName,
  type UploadName,
} from '../../../contract/operations.ts';
import { toStorageError } from '../../../node/storage-error.ts';
import { isJsonObject } from '../../../shared/json.ts';
import { checkAccess } from './access.ts';
import { accountOperations } from './account-operations.ts';
import { alarmOperations, alarmStreams } from './alarm-operations.ts';
import type { Api, CallContext, FileDownload, StreamSink } from './api-types.ts';
import { approvalOperations } from './approval-operations.ts';
import { armingOperations } from './arming-operations.ts';
import { namesAfter, namesBefore } from './audit-names-and-words.ts';
import { botOperations, dataOperations } from './bot-operations.ts';
import { catalogDownloads, catalogOperations, catalogUploads } from './catalog-operations.ts';
import { checkInput } from './check-input.ts';
import { guardOperations } from './guard-operations.ts';
import type { Caller, DownloadHandlers, Handlers, StreamHandlers, UploadHandlers } from './handler-types.ts';
import { hostOperations } from './host-operations.ts';
import { interpreterOperations } from './interpreter-operations.ts';
import { ledgerOperations } from './ledger-operations.ts';
import { networkOperations } from './network-operations.ts';
import { pinOperations } from './pin-operations.ts';
import { preferenceOperations } from './preference-operations.ts';
import { projectOperations, projectStreams } from './project-operations.ts';
import { sampleOperations } from './sample-operations.ts';
import { secretOperations } from './secret-operations.ts';
import type { Services } from './services.ts';
import { storageOperations } from './storage-operations.ts';
import { botStreams } from './streams.ts';
import { trashOperations } from './trash-operations.ts';

const TARGET_CHARS = 200;

/** The work of a call, which tells when it begins: the caller may do it, and its input is well formed. */
type Work<T> = (begins: () => void) => Promise<T>;

function textIn(from: unknown, field: string): string | null {
  if (typeof from !== 'object' || from === null) return null;
  const value: unknown = Object.getOwnPropertyDescriptor(from, field)?.value;
  return typeof value === 'string' ? value.slice(0, TARGET_CHARS) : null;
}

function targetOf(name: OperationName, input: unknown): string | null {
  const { target } = OPERATIONS[name];
  return target === null ? null : textIn(input, target);
}

/** Returns the target of an upload, the name of its custom bot, which only the answer holds; null for other answers. */
function uploadTarget(result: unknown): string | null {
  return isJsonObject(result) ? textIn(result.custom_bot, 'name') : null;
}

/** `waiting` for a call whose answer says that nothing was done yet: a person has to approve it. */
const outcomeOf = (result: unknown): string => (isJsonObject(result) && result.outcome === WAITING ? WAITING : 'ok');

/** Opens a stream with its input checked. Returns what closes it. */
async function openStream<N extends StreamName>(
  streams: StreamHandlers,
  name: N,
  { input, caller, sink }: { readonly input: unknown; readonly caller: Caller; readonly sink: StreamSink },
): Promise<() => void> {
  const handler: StreamHandlers[N] = streams[name];
  return handler(checkInput(OPERATIONS[name].input, input) as Parsed<N>, caller, sink);
}

/**
 * True if the audit trail records the answer. Of an operation that a program polls, only the successful answer, which
 * has a key, is recorded.
 */
function isTold(name: OperationName, result: unknown): boolean {
  return !OPERATIONS[name].polled || (isJsonObject(result) && typeof result.key === 'string');
}

/** Api over the services. Everything but a health check waits until `recovered` is settled. */
export function createApi(services: Services, recovered: Promise<void>): Api {
  const handlers: Handlers = {
    ...hostOperations(services),
    ...storageOperations(services),
    ...interpreterOperations(services),
    ...preferenceOperations(services),
    ...accountOperations(services),
    ...alarmOperations(services),
    ...secretOperations(services),
    ...armingOperations(services),
    ...approvalOperations(services),
    ...guardOperations(services),
    ...pinOperations(services),
    ...networkOperations(services),
    ...catalogOperations(services),
    ...sampleOperations(services),
    ...projectOperations(services),
    ...botOperations(services),
    ...dataOperations(services),
    ...trashOperations(services),
    ...ledgerOperations(services),
  };
  const streams: StreamHandlers = {
    ...botStreams(services),
    ...projectStreams(services),
    ...alarmStreams(services),
  };
  const uploads: UploadHandlers = catalogUploads(services);
  const downloads: DownloadHandlers = catalogDownloads(services);

  let ready = false;
  recovered.then(
    () => {
      ready = true;
    },
    () => undefined, // The caller that made `recovered` handles the error.
  );
  const mustWait = (name: OperationName): boolean => !ready && !OPERATIONS[name].beforeRecovery;
  const enter = (name: OperationName, context: CallContext, input?: unknown): Caller => {
    const principal = context.renew();
    checkAccess(name, principal, input);
    if (OPERATIONS[name].asksPin) services.pins.checkOnceChosen({ ...context, principal });
    return { ...context, principal, userId: principal?.userId ?? '', botIds: principal?.botIds ?? null };
  };
  /** As `enter`, once the host may answer. */
  const admit = async (name: OperationName, context: CallContext, input?: unknown): Promise<Caller> => {
    const caller = enter(name, context, input);
    if (!mustWait(name)) return caller;
    await recovered;
    return enter(name, context, input);
  };

  /** The user and key of a successful log-in, which are unknown before it. */
  const letIn = (result: unknown): { readonly userId: string | null; readonly keyId: string | null } => {
    if (!isJsonObject(result)) return { userId: null, keyId: null };
    const { user, key } = result;
    if (isJsonObject(user) && typeof user.user_id === 'string') return { userId: user.user_id, keyId: null };
    return typeof key === 'string' ? services.auth.authenticate(key) : { userId: null, keyId: null };
  };

  const audited = async <T>(
    name: OperationName,
    words: AuditWords,
    { input, context, work }: { input: unknown; context: CallContext; work: Work<T> },
  ): Promise<T> => {
    const { principal } = context;
    const before = principal === null ? {} : namesBefore(services, words, input, principal);
    const at = services.now();
    const started = performance.now();
    const note = (outcome: string, result: unknown, target = targetOf(name, input)): void => {
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
        names: namesAfter(words, before, result),
      });
    };
    try {
      const result = await work(() => {
        if (OPERATIONS[name].auditedFirst) note('asked', null);
      });
      if (isTold(name, result)) note(outcomeOf(result), result, targetOf(name, input) ?? uploadTarget(result));
      return result;
    } catch (error) {
      if (isTold(name, null)) note(error instanceof PlatformError ? error.code : 'INTERNAL', null);
      throw error;
    }
  };

  /** Runs a call and records it in the audit trail if the operation has audit words. */
  const told = <T>(name: OperationName, input: unknown, context: CallContext, work: Work<T>): Promise<T> => {
    const words = context.audit === 'none' ? null : OPERATIONS[name].audit;
    return words === null ? work(() => undefined) : audited(name, words, { input, context, work });
  };

  /** Awaits work of any operation and gives the error of a full disk or a damaged control database its code. */
  const stored = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw toStorageError(error);
    }
  };

  return {
    call<N extends CallName>(name: N, input: unknown, context: CallContext): Promise<Output<N>> {
      const work: Work<Output<N>> = async (begins) => {
        const caller = await admit(name, context, input);
        const handler: (input: Parsed<N>, caller: Caller) => Output<N> | Promise<Output<N>> = handlers[name];
        const checked = checkInput(OPERATIONS[name].input, input) as Parsed<N>;
        begins();
        return handler(checked, caller);
      };
      const weighed: typeof work =
        OPERATIONS[name].cost === 'heavy' ? (begins) => context.rate.weighed(context.who, () => work(begins)) : work;
      return stored(told(name, input, context, weighed));
    },

    stream: async (name: StreamName, input: unknown, context: CallContext, sink: StreamSink) => {
      const caller = await admit(name, context);
      return openStream(streams, name, { input, caller, sink });
    },

    upload<N extends UploadName>(name: N, input: unknown, body: Readable, context: CallContext): Promise<Output<N>> {
      const work = async (): Promise<Output<N>> => {
        const caller = await admit(name, context);
        const handler: UploadHandlers[N] = uploads[name];
        const checked = checkInput(OPERATIONS[name].input, input) as Parsed<N>;
        return handler(checked, body, caller, () => void enter(name, context));
      };
      return stored(told(name, input, context, work));
    },

    download(name: DownloadName, input: unknown, context: CallContext) {
      const work = async (): Promise<FileDownload> => {
        const caller = await admit(name, context, input);
        return downloads[name](checkInput(OPERATIONS[name].input, input), caller);
      };
      return stored(OPERATIONS[name].cost === 'heavy' ? context.rate.weighed(context.who, work) : work());
    },
  };
}
