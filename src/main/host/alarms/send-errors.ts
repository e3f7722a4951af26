/** The service could not be reached, or asks to come back later; the message is tried again. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
  /** Earliest next attempt, in ms from now; 0 where the service names none. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs = 0) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The service will never take this message; the channel goes on with the next one. */
export class Rejected extends Error {
  override readonly name = 'Rejected';
}

/** The service refuses the credential: nothing more is sent until a person has looked at the channel. */
export class Revoked extends Error {
  override readonly name = 'Revoked';
}

/** The address of a channel is one that it must not reach. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}
