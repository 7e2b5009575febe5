/**
 * Stands in for the types that openapi-typescript makes from our document. The test replaces this module with the real
 * ones, and compiles their users against them.
 */
declare module 'tradepost-api' {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  export type paths = any;
}
