import type { KeyScope, Role } from '../../../contract/account.ts';

/** Who asks, after authentication. */
export interface Principal {
  readonly userId: string;
  readonly name: string;
  readonly role: Role;
  readonly scope: KeyScope;
  /** The only bots this credential reaches; null: all of the user. */
  readonly botIds: ReadonlySet<string> | null;
  /** May use the further tools at /mcp/extended. */
  readonly extended: boolean;
  readonly method: 'api_key' | 'session' | 'local';
  readonly keyId: string | null;
  readonly keyName: string | null;
  readonly sessionId: string | null;
  /** When the credential ends, milliseconds since the epoch; null: it does not. */
  readonly expiresAt: number | null;
}
