export type OutgoingErrorCode =
  /** Not an address of https, or of http where that is allowed; or it carries a user name. */
  | 'invalid_url'
  /** It leads or redirects to a machine that is not on the public Internet. */
  | 'address_not_allowed'
  | 'name_not_found'
  | 'timed_out'
  | 'connection_failed'
  | 'too_many_redirects'
  | 'body_too_large'
  /** The caller's signal aborted. */
  | 'cancelled';

/** Why a request to a user-provided address got no answer. The message may be shown to that user. */
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
