/** The answer of `GET /time`. */
export class TimeDto {
  /**
   * The clock of the process that responds, RFC 3339 UTC with milliseconds.
   * @example "2026-11-01T12:00:00.000Z"
   */
  time: string;
  /**
   * The last durable sequence of the ledger, as in `at_sequence`.
   * @example 1042
   */
  sequence: number;
}
