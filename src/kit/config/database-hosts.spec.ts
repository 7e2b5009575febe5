import { describe, expect, it } from 'vitest';
import { asksForPrimary, databaseHosts, databaseReadUrl, databaseUrl } from './database-hosts.js';

describe('databaseHosts', () => {
  it.each([
    'postgres://db/x',
    'postgresql://u:p@db:5432/x?sslmode=verify-full',
    'postgresql://tradepost@localhost/tradepost?host=%2Ftmp%2Fa&sslmode=disable',
    'postgres:///x',
  ])('leaves the address of one server as it is: %s', (url) => {
    expect(databaseHosts(url)?.map((host) => host.url)).toEqual([url]);
    expect(asksForPrimary(url)).toBe(false);
    expect(databaseUrl.parse(url)).toBe(url);
  });

  it('gives each of several servers an address of its own', () => {
    const url =
      'postgres://u:p@a.example:5433,b,[::1]:5434/x?target_session_attrs=read-write&sslmode=require';
    expect(databaseHosts(url)).toEqual([
      { name: 'a.example:5433', url: 'postgres://u:p@a.example:5433/x?sslmode=require' },
      { name: 'b:5432', url: 'postgres://u:p@b:5432/x?sslmode=require' },
      { name: '[::1]:5434', url: 'postgres://u:p@[::1]:5434/x?sslmode=require' },
    ]);
    expect(asksForPrimary(url)).toBe(true);
  });

  it('takes them from parameters as well', () => {
    expect(databaseHosts('postgresql://u@localhost/x?host=/run/a,/run/b&port=5432,5433')).toEqual([
      { name: '/run/a:5432', url: 'postgresql://u@localhost/x?host=%2Frun%2Fa&port=5432' },
      { name: '/run/b:5433', url: 'postgresql://u@localhost/x?host=%2Frun%2Fb&port=5433' },
    ]);
    expect(databaseHosts('postgresql://u@a,b/x?port=6000')?.map(({ name }) => name)).toEqual([
      'a:6000',
      'b:6000',
    ]);
  });

  it('asks for the primary where it is told to, also of one server', () => {
    expect(asksForPrimary('postgres://db/x?target_session_attrs=read-write')).toBe(true);
  });

  it.each([
    'mysql://db/x',
    'postgres://a,,b/x',
    'postgres://a:port,b/x',
    'postgres://a:70000,b/x',
    'postgres://u@localhost/x?host=/a,/b&port=1,2,3',
    'postgres://a,b/x?target_session_attrs=standby',
  ])('is not a setting: %s', (url) => {
    expect(databaseUrl.parse(url)).toBeUndefined();
  });

  it('names standbys where they are only read', () => {
    const url = 'postgres://u@a,b/x?target_session_attrs=standby';
    expect(databaseReadUrl.parse(url)).toBe(url);
    expect(databaseHosts(url)?.map((host) => host.url)).toEqual([
      'postgres://u@a:5432/x',
      'postgres://u@b:5432/x',
    ]);
    expect(databaseReadUrl.parse('postgres://a,b/x?target_session_attrs=read-write')).toBeUndefined();
  });
});
