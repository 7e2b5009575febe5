import { describe, expect, it } from 'vitest';
import { InFlight } from './in-flight.js';

const REFUSED = expect.objectContaining({ code: 'too_many_in_flight', retryAfterS: 1 });

describe('InFlight', () => {
  it('refuses what one owner has beyond the maximum, and nothing of others', () => {
    const inFlight = new InFlight({ ownerWaitingMax: 2 });
    const first = inFlight.begin('user:1');
    inFlight.begin('user:1');
    expect(() => inFlight.begin('user:1')).toThrow(REFUSED);
    inFlight.begin('user:2');
    first.end();
    first.end();
    inFlight.begin('user:1');
    expect(() => inFlight.begin('user:1')).toThrow(REFUSED);
  });
});
