import type { AuditNames, AuditWords } from '../../../contract/audit-words.ts';
import type { Api, CallContext } from '../api/api-types.ts';
import type { Auth, Principal } from '../auth/auth.ts';
import type { MethodContext } from './methods.ts';
import type { WhileOpen } from './open-calls.ts';
import type { Surface } from './surface.ts';

/** Facts about the endpoint that all its lanes share. */
export interface Endpoint {
  readonly api: Api;
  readonly auth: Auth;
  readonly version: string;
  /** Text of the authoring guide. */
  readonly guide: string;
  readonly now: () => number;
  /** Names of a call's objects, for the audit trail. */
  readonly auditNames: (words: AuditWords, input: unknown, who: Principal) => AuditNames;
  readonly onError: (where: string, error: unknown) => void;
  /** Counts a call that changes something; throws RATE_LIMITED. */
  readonly takeWrite: (principal: Principal) => void;
}

/** One POST: who sent it, to which set of tools, and until when the answer matters. */
export interface Exchange {
  readonly endpoint: Endpoint;
  readonly surface: Surface;
  readonly principal: Principal;
  readonly context: CallContext;
  /** Lets a call of this POST wait. */
  readonly whileOpen: WhileOpen;
}

export type { MethodContext };
