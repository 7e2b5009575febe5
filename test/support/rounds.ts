/** Set by the Vitest configuration for `npm run test:long`. */
export const isLongRun = process.env['TEST_LENGTH'] === 'long';

/**
 * The size of a proof by repetition: small in `npm test`, large in `npm run test:long`, unless the environment sets
 * this name. Specs that use it belong to both runs.
 */
export function rounds(name: string, usual: number, long: number): number {
  return Number(process.env[name] ?? (isLongRun ? long : usual));
}
