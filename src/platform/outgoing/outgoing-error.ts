export type OutgoingErrorCode =
  /** Not an address of https, or of http where that is allowed; or it carries a user name. */
  | 'invalid_url'
  /** It leads, or leads on, to a machine that is not on the public Internet. */
  | 'address_not_allowed'
  | 'name_not_found'
  | 'timed_out'
  | 'connection_failed'
  | 'too_many_redirects'
  | 'body_too_large'
  /** The caller's signal aborted. */
  | 'cancelled';

/** Why no answer came from an address that somebody else named. The message may be shown to who named it. */
export class OutgoingError extends Error {
  constructor(
    readonly code: OutgoingErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'OutgoingError';
  }
}
