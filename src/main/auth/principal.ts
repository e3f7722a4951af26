import type { KeyScope, Role } from '../../contract/account.ts';

/** Who asks, after authentication. */
export interface Principal {
  readonly userId: string;
  readonly name: string;
  readonly role: Role;
  readonly scope: KeyScope;
  readonly method: 'api_key' | 'session' | 'local';
  readonly keyId: string | null;
  readonly keyName: string | null;
  readonly sessionId: string | null;
}
