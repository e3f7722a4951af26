import { PlatformError } from '../../contract/errors.ts';
import { OPERATIONS, type OperationName } from '../../contract/operations.ts';
import type { Principal } from '../auth/auth.ts';

/** What a key for named bots may do beyond the operations on one of them: nothing that tells of other bots or of keys. */
const FOR_NAMED_BOTS: ReadonlySet<OperationName> = new Set([
  'host.get',
  'auth.status',
  'bots.list',
  'bots.stream',
  'custom_bots.list',
  'custom_bots.get',
  'custom_bots.schema',
  'custom_bots.validate',
]);

function refuse(message: string, hint: string): never {
  throw new PlatformError('FORBIDDEN', message, { hint });
}

/**
 * Checks what a caller may do at all, before anything about the target is read (wire.md sections 6 and 7). Throws
 * AUTHENTICATION_REQUIRED or FORBIDDEN.
 */
export function checkAccess(name: OperationName, principal: Principal | null): void {
  const { access, path } = OPERATIONS[name];
  if (access === 'open') return;
  if (principal === null) throw new PlatformError('AUTHENTICATION_REQUIRED');
  if (principal.botIds !== null && !path.includes('{bot_id}') && !FOR_NAMED_BOTS.has(name)) {
    refuse('This key is for named bots only', 'Use a key without --bots: `platform keys create <name>`.');
  }
  if (name.startsWith('projects.') && principal.method === 'api_key') {
    // Folders of this machine are read and written, and programs started, as the user of the host: no key may stand for that.
    refuse('API keys do not reach project folders', 'Log in to the dashboard, for example with `platform open`.');
  }
  if (access === 'read') return;
  if (principal.scope === 'read') {
    refuse('This key may only read', 'Use a key with the scope "deploy" or "full": `platform keys create <name>`.');
  }
  if (access === 'operate') return;
  if (principal.scope !== 'full') {
    refuse(
      'This key may change bots, but not the account',
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
