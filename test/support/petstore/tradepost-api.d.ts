/**
 * Stands in for the types that openapi-typescript makes from our document. The test that makes them puts
 * them in this module's place, and compiles what uses them against the real ones.
 */
declare module 'tradepost-api' {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  export type paths = any;
}
