import { Module } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { FeePolicy, type FeeRateOverride } from './fee-policy.js';
import { bindPlugins, type Plugin } from './plugin.js';
import { RiskCheck } from './risk-check.js';

@Module({})
class AcmeModule {}

class AcmeFees extends FeePolicy {
  override ratesFor(): FeeRateOverride {
    return { maker: '0', taker: '0.01' };
  }
}

abstract class NotAPoint {}

const plugin = (overrides: Partial<Plugin> = {}): Plugin => ({
  name: 'acme',
  compatibility: '^1.2.0',
  module: AcmeModule,
  ...overrides,
});
const fees = [{ point: FeePolicy, implementation: AcmeFees }];

describe('bindPlugins', () => {
  it('binds what plugins bring', () => {
    const bound = bindPlugins([plugin({ bindings: fees }), plugin({ name: 'other' })], '1.3.0');
    expect(bound.get(FeePolicy)).toBe(AcmeFees);
    expect(bound.has(RiskCheck)).toBe(false);
  });

  it.each([
    [
      'two that bind one point',
      [plugin({ bindings: fees }), plugin({ name: 'other', bindings: fees })],
      'Plugins "acme" and "other" both bind FeePolicy; keep one.',
    ],
    [
      'one that binds what is no point',
      [plugin({ bindings: [{ point: NotAPoint, implementation: AcmeModule }] })],
      'Plugin "acme" binds NotAPoint, which is not an extension point.',
    ],
    ['two of one name', [plugin(), plugin()], 'Two plugins are named "acme".'],
    [
      'one for another version',
      [plugin({ compatibility: '^2.0.0' })],
      'Plugin "acme" is made for version ^2.0.0, but this is 1.3.0.',
    ],
    [
      'one for no version',
      [plugin({ compatibility: 'newest' })],
      'Plugin "acme" has a compatibility that is no semver range: "newest".',
    ],
  ])('refuses %s, in one line', (_name, plugins, message) => {
    expect(() => bindPlugins(plugins, '1.3.0')).toThrow(
      expect.objectContaining({ name: 'StartRefusal', message }),
    );
  });
});
