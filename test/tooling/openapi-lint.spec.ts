import { describe, expect, it } from 'vitest';
import { ensureTools } from '../../scripts/support/tools.js';

await ensureTools('test/tools/documents');
const { createConfig, lint } = await import('../tools/documents/index.js');

describe('openapi.json', () => {
  it('has nothing that Redocly’s recommended rules warn of', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lint({ ref: 'openapi.json', config });
    const found = problems.map(
      ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`,
    );
    expect(found).toEqual([]);
  }, 60_000);
});
