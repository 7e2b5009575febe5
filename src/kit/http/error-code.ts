/**
 * A code that `error.code` may have, with its HTTP status: declare it once as a constant, list it in `errorCodes` of the
 * module, document it by `@ApiErrors` and throw it in an `ApiError`.
 */
export class ErrorCode {
  constructor(
    /** Such as `acme_loyalty_no_points`: the plugin's name and what is wrong. Part of the public API: never rename it. */
    readonly code: string,
    readonly status: number,
    /** What the OpenAPI document says of it, such as `the account has no points.` */
    readonly meaning?: string,
  ) {}

  /** The same code with its meaning for one route: `CONFLICT.means('the id is taken.')`. */
  means(meaning: string): ErrorCode {
    return new ErrorCode(this.code, this.status, meaning);
  }
}

/** All error codes of one application, sorted. */
export class ErrorCatalogue {
  readonly errors: readonly ErrorCode[];
  /** Their names. */
  readonly codes: readonly string[];

  constructor(declared: readonly ErrorCode[]) {
    const byCode = new Map(declared.toReversed().map((error) => [error.code, error]));
    this.codes = [...byCode.keys()].toSorted();
    this.errors = this.codes.map((code) => byCode.get(code)!);
  }
}
