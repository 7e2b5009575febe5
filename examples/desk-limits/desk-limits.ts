import { SharedCache } from '../../src/index.js';

/**
 * The largest order that an account may place, whatever its market: in units of 10^-18 of the base asset, as text, by the
 * account's public id. Every process has all of them in memory, and sees a change within a second.
 */
export class DeskLimits extends SharedCache<string> {
  override readonly name = 'limits';
}
