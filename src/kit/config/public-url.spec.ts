import { describe, expect, it } from 'vitest';
import { loadConfig, settlePublicUrl } from './config.js';

describe('settlePublicUrl', () => {
  it('fills in the port that was picked for port 0', () => {
    const config = loadConfig({ PORT: '0' });
    expect(config.publicUrl).toBe('http://127.0.0.1:0');
    settlePublicUrl(config, 40_123);
    expect(config.publicUrl).toBe('http://127.0.0.1:40123');
  });

  it('leaves an address alone that was known', () => {
    const config = loadConfig({ PORT: '0', PUBLIC_URL: 'https://trade.example/api/' });
    settlePublicUrl(config, 40_123);
    expect(config.publicUrl).toBe('https://trade.example/api');
  });

  it('names localhost where the service listens everywhere', () => {
    expect(loadConfig({ HOST: '0.0.0.0', SEED_DEMO: 'true' }).publicUrl).toBe('http://localhost:3000');
  });
});
