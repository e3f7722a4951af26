import { PlatformError } from '../../contract/errors.ts';
import type { Access } from '../../contract/operations.ts';
import type { Principal } from '../auth/auth.ts';

/**
 * Checks what a caller may do at all, before anything about the target is read (wire.md sections 6 and 7). Throws
 * AUTHENTICATION_REQUIRED or FORBIDDEN.
 */
export function checkAccess(access: Access, principal: Principal | null): void {
  if (access === 'open') return;
  if (principal === null) throw new PlatformError('AUTHENTICATION_REQUIRED');
  if (access === 'read') return;
  if (principal.scope !== 'full') {
    throw new PlatformError('FORBIDDEN', 'This key may only read', {
      hint: 'Use a key with the scope "full": platform keys create <name>.',
    });
  }
  if (access === 'owner' && principal.role !== 'owner') {
    throw new PlatformError('FORBIDDEN', 'Only the owner of this host may do that', { hint: 'Ask the owner.' });
  }
}
