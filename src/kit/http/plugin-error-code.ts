/**
 * An error code that a plugin adds, with its HTTP status: declare it once as a constant, list it in `errorCodes` of the
 * plugin, document it by `@ApiErrors` and throw it in an `ApiError`.
 */
export class PluginErrorCode {
  constructor(
    /** Such as `acme_loyalty_no_points`: the plugin's name and what is wrong. Part of the public API: never rename it. */
    readonly code: string,
    readonly status: number,
    /** What the OpenAPI document says of it, such as `the account has no points.` */
    readonly meaning?: string,
  ) {}
}

/** All error codes that the plugins of one application add. */
export class ErrorCatalogue {
  constructor(readonly added: readonly PluginErrorCode[] = []) {}
}
