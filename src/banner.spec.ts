import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { banner, logReady } from './banner.js';
import { createPino } from './kit/logging/logger.js';
import { SERVICE_VERSION } from './version.js';

const LOCAL = { listensAt: 'http://127.0.0.1:3000', publicUrl: 'http://127.0.0.1:3000' };
const BEHIND_PROXY = { listensAt: 'http://10.0.0.7:3000', publicUrl: 'https://trade.example' };

function bannerOf({ listensAt, publicUrl }: typeof LOCAL, seedDemo: boolean): string {
  return banner({ listensAt, config: { publicUrl, seedDemo } });
}

describe('banner', () => {
  it('says where to go and how to try it out', () => {
    expect(bannerOf(LOCAL, true)).toBe(`
  Tradepost ${SERVICE_VERSION} is ready.

  Address     http://127.0.0.1:3000
  Console     http://127.0.0.1:3000/console
  Swagger UI  http://127.0.0.1:3000/docs
  OpenAPI     http://127.0.0.1:3000/openapi.json
  Events      http://127.0.0.1:3000/asyncapi.json
  Health      http://127.0.0.1:3000/health

  Demo credentials, known to everybody:
  Clients     demo / demo-secret, maker / maker-secret, admin / admin-secret (operator)
  Users       admin / admin-password (operator), alice / alice-password, bob / bob-password
  API key     special-key

  Ctrl-C stops it.

`);
  });

  it('names no credentials where there are no demo data', () => {
    const shown = bannerOf(LOCAL, false);
    expect(shown).toContain('Swagger UI  http://127.0.0.1:3000/docs');
    expect(shown).not.toMatch(/credential|secret|password|special-key/i);
  });

  it('shows where it listens where clients go elsewhere', () => {
    const shown = bannerOf(BEHIND_PROXY, false);
    expect(shown).toContain('Address     https://trade.example\n');
    expect(shown).toContain('Listens at  http://10.0.0.7:3000\n');
    expect(shown).toContain('https://trade.example/docs');
  });
});

describe('logReady', () => {
  function logged({ listensAt, publicUrl }: typeof LOCAL): unknown {
    const written: string[] = [];
    const sink = new PassThrough().on('data', (line: Buffer) => written.push(line.toString()));
    logReady(createPino('info', sink), { listensAt, config: { publicUrl, seedDemo: true } });
    expect(written).toHaveLength(1);
    return JSON.parse(written[0]!);
  }

  it('is one line with the address, and without credentials', () => {
    const line = logged(LOCAL);
    expect(line).toMatchObject({
      level: 'info',
      context: 'Service',
      msg: 'Tradepost serves http://127.0.0.1:3000',
      address: 'http://127.0.0.1:3000',
      listensAt: 'http://127.0.0.1:3000',
    });
    expect(JSON.stringify(line)).not.toMatch(/secret|password|special-key/);
  });

  it('names both addresses where they differ', () => {
    expect(logged(BEHIND_PROXY)).toMatchObject({
      msg: 'Tradepost serves https://trade.example (listens at http://10.0.0.7:3000)',
      address: 'https://trade.example',
      listensAt: 'http://10.0.0.7:3000',
    });
  });
});
