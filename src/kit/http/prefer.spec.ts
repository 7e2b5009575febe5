import { describe, expect, it } from 'vitest';
import { prefers } from './prefer.js';

describe('prefers', () => {
  it.each([
    'receipt',
    ' Receipt ',
    'RECEIPT',
    'receipt=',
    'receipt=""',
    'receipt; as=json; note="a, b"',
    'return=minimal, receipt',
    'return=minimal,receipt;x',
    'note="a, \\"b", receipt',
    ',, ,receipt',
    '=;=, receipt',
    ['return=minimal', 'receipt'],
    `${'x,'.repeat(490)}receipt`,
  ])('finds the preference in %j', (header) => {
    expect(prefers(header, 'receipt')).toBe(true);
  });

  it.each([
    undefined,
    '',
    ',',
    'receipts',
    'receipt receipt',
    'receipt=no',
    'receipt="full"',
    'receipt=no, receipt',
    'return=receipt',
    'return; receipt',
    'note="a, receipt"',
    '"receipt',
    'note="a, receipt',
    'note="\\',
    '"receipt"',
    'receipt"',
    'rece\u0130pt',
    [],
    `${'x,'.repeat(500)}receipt`,
  ])('does not find it in %j', (header) => {
    expect(prefers(header, 'receipt')).toBe(false);
  });

  it.each(['"', '""', '"\\', ' ', ';', '=', 'a=', '\\'])('reads a thousand of %j at once', (part) => {
    const header = part.repeat(1_000).slice(0, 1_000);
    const beganMs = performance.now();
    expect(prefers(header, 'receipt')).toBe(false);
    expect(performance.now() - beganMs).toBeLessThan(100);
  });
});
