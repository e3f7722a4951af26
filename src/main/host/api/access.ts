import { PlatformError } from '../../../contract/errors.ts';
import { OPERATIONS, type OperationName } from '../../../contract/operations.ts';
import { isJsonObject } from '../../../shared/json.ts';
import type { Principal } from '../auth/auth.ts';

function refuse(message: string, hint: string): never {
  throw new PlatformError('FORBIDDEN', message, { hint });
}

/**
 * Checks what a caller may do at all, before anything about the target is read. `input` is unvalidated. Throws
 * AUTHENTICATION_REQUIRED, SESSION_REQUIRED or FORBIDDEN.
 */
export function checkAccess(name: OperationName, principal: Principal | null, input?: unknown): void {
  const { access, namedBots, session } = OPERATIONS[name];
  if (access === 'open') return;
  if (principal === null) throw new PlatformError('AUTHENTICATION_REQUIRED');
  if (session !== 'optional' && principal.method === 'api_key') {
    // Rights granted by a key would outlive the key and its revocation.
    if (session === 'or_own_key' && isJsonObject(input) && input.key_id === principal.keyId) return;
    throw new PlatformError('SESSION_REQUIRED');
  }
  if (principal.botIds !== null && !namedBots) {
    refuse('This key is for named bots only', 'Use a key without --bots: `platform keys create <name>`.');
  }
  if (access === 'read') return;
  if (principal.scope === 'read') {
    refuse('This key may only read', 'Use a key with the scope "deploy" or "full": `platform keys create <name>`.');
  }
  if (access === 'operate') return;
  if (principal.scope !== 'full') {
    refuse(
      'This key may change bots, and nothing else',
      'Use a key with the scope "full": `platform keys create <name>`.',
    );
  }
  if (access === 'owner' && principal.role !== 'owner')
    refuse('Only the owner of this host may do that', 'Ask the owner.');
}

/** True when the caller may do an operation as far as its key tells. */
export function mayDo(name: OperationName, principal: Principal): boolean {
  try {
    checkAccess(name, principal);
    return true;
  } catch (error) {
    if (error instanceof PlatformError) return false;
    throw error;
  }
}
