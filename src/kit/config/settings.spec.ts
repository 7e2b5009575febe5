import { describe, expect, it } from 'vitest';
import { SETTINGS } from './config.js';

describe('SETTINGS', () => {
  it('has each setting once, with a meaning', () => {
    const names = SETTINGS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { meaning } of SETTINGS) expect(meaning).toMatch(/^[^|\n]+\.$/);
  });
});
