import type { KeyScope, Role } from '../../../contract/account.ts';

/** Authenticated caller. */
export interface Principal {
  readonly userId: string;
  readonly name: string;
  readonly role: Role;
  readonly scope: KeyScope;
  /** The only bots that this credential reaches; null: all bots of the user. */
  readonly botIds: ReadonlySet<string> | null;
  /** May use the further tools at /mcp/extended. */
  readonly extended: boolean;
  readonly method: 'api_key' | 'session' | 'local';
  readonly keyId: string | null;
  readonly keyName: string | null;
  readonly sessionId: string | null;
  /** End of the credential in milliseconds since the epoch; null: it does not end. */
  readonly expiresAt: number | null;
}

/** A session or key that somebody has got: from now on its holder acts as the user. */
export interface Gained {
  readonly userId: string;
  /** Id of the session or key. */
  readonly id: string;
  readonly by: 'password' | 'link' | 'key' | 'code';
}
