/** What the service itself can fail at, in any of its parts; the edge knows the status of each. */
export type ServiceFailureCode =
  | 'internal_error'
  | 'temporarily_unavailable'
  | 'capacity'
  | 'outcome_unknown'
  /** These two of one owner, while others are served. */
  | 'rate_limited'
  | 'too_many_in_flight';

/**
 * A failure that whoever asked is told of: a code for programs, and a message that says what to do. Nothing here
 * knows by which protocol they asked.
 */
export abstract class CodedError extends Error {
  abstract readonly code: string;
}

export interface ServiceFailureOptions {
  /** When to ask again. */
  readonly retryAfterS?: number;
  /** What went wrong inside; logged, never told. */
  readonly cause?: unknown;
}

/** The service could not do what it was asked, through no fault of whoever asked. */
export class ServiceFailure extends CodedError {
  readonly retryAfterS: number | undefined;

  constructor(
    readonly code: ServiceFailureCode,
    message: string,
    { retryAfterS, cause }: ServiceFailureOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ServiceFailure';
    this.retryAfterS = retryAfterS;
  }
}
