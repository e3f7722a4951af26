import type { CallName, Output, Parsed } from '../../contract/operations.ts';
import type { Principal } from '../auth/auth.ts';

/** Who asks, after authentication; operations with access `open` get `principal: null` and an empty user id. */
export interface Caller {
  readonly userId: string;
  readonly principal: Principal | null;
  readonly address: string;
  readonly client: string | null;
  readonly signal: AbortSignal;
}

/** One function per call of the operation table. Input is validated, access is checked. */
export type Handlers = {
  readonly [N in CallName]: (input: Parsed<N>, caller: Caller) => Output<N> | Promise<Output<N>>;
};
