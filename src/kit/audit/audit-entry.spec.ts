import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditEntryOf } from './audit-entry.js';

const CIRCUMSTANCES = {
  actor: { person: 'user:1', credential: 'session:alice', address: '127.0.0.1' },
  action: 'approvePayout',
  requestId: 'r',
};

function detailsOf(details: Record<string, unknown>): unknown {
  return auditEntryOf(CIRCUMSTANCES, { target: { type: 'user', id: 'alice' }, details }).details;
}

describe('an entry of the audit log', () => {
  it('keeps no more than 4 KB of details, and says that there was more', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 3 })), (details) => {
        const many = Object.fromEntries(
          Object.entries(details).flatMap(([name, value]) =>
            Array.from({ length: 40 }, (_, i) => [`${name}${i}`, [value, 'x'.repeat(2_000)]]),
          ),
        );
        expect(Buffer.byteLength(JSON.stringify(detailsOf(many)))).toBeLessThanOrEqual(4_096);
      }),
      { numRuns: 50 },
    );
    expect(detailsOf({ kept: 1, huge: Array.from({ length: 9_999 }, () => 'x'), dropped: 2 })).toEqual({
      kept: 1,
      truncated: true,
    });
  });

  it('has nothing in it that Postgres refuses, wherever it stands', () => {
    const entry = auditEntryOf(
      { actor: { person: '\0', credential: '\ud83d', address: 'a\0' }, action: 'x\0', requestId: '\udc4d' },
      {
        target: { type: 't\0', id: `${'x'.repeat(255)}👍` },
        details: { 'n\0': 'v\0', nested: { 'n\ud83d': ['\udc4d', 1n, undefined, null] }, absent: undefined },
      },
    );
    expect(JSON.stringify(entry)).not.toMatch(/\\u0000|\\ud[89a-f]/);
    expect(entry.details).toEqual({
      'n\ufffd': 'v\ufffd',
      nested: { 'n\ufffd': ['\ufffd', '1', null, null] },
    });
    expect(entry.target_id).toBe(`${'x'.repeat(255)}\ufffd`);
  });
});
