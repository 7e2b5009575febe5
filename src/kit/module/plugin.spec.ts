import 'reflect-metadata';
import { describe, expect, it } from 'vitest';
import { IdPrefix } from '../../domain/ids.js';
import { integer } from '../config/readers.js';
import { optional, setting } from '../config/setting.js';
import { Filter } from '../filters/filter.js';
import { oneOf, text } from '../fields/field-type.js';
import { ErrorCode } from '../http/error-code.js';
import { Scope } from '../security/scope.js';
import { WebhookEventType } from '../webhooks/webhook-event-type.js';
import {
  AcmeFees,
  AcmeCheck,
  OtherCheck,
  Vault,
  AcmeVault,
  AcmePersons,
  Thing,
  CreateAcmeThings1790000000000,
  AcmeGateway,
  StrayGateway,
  ThingsController,
  plugin,
  page,
  rate,
  setOf,
  load,
  field,
  type Declared,
} from '../../../test/support/acme-plugin.js';

describe('ModuleSet', () => {
  it('has what plugins bring', () => {
    const set = load(
      { implementations: [AcmeVault], scopes: [new Scope('acme:read', 'read things')], checks: [OtherCheck] },
      { name: 'other', checks: [AcmeCheck], feePolicies: [AcmeFees] },
    );
    expect(set.implementationOf(Vault)).toBe(AcmeVault);
    expect(load().implementationOf(Vault)).toBeUndefined();
    expect(set.listed('checks')).toEqual([OtherCheck, AcmeCheck]);
    expect(set.listed('feePolicies')).toEqual([AcmeFees]);
    expect(load().listed('checks')).toEqual([]);
    expect(set.scopes.grantable).toEqual(expect.arrayContaining(['markets:trade', 'acme:read']));
    expect(set.scopes.grantable).not.toContain('admin');
  });

  it('reads the settings of plugins, and shows them to nobody who does not ask for one', () => {
    const token = optional('ACME_TOKEN', { expects: 'a token', parse: (text) => text }, 'none', 'A token.');
    const { settings } = setOf([plugin({ settings: [rate, token] })], {
      ACME_RATE: '7',
      ACME_TOKEN: 'secret',
    });
    expect(settings.get(rate)).toBe(7);
    expect(settings.get(token)).toBe('secret');
    expect(JSON.stringify(settings)).not.toContain('secret');
    const stray = setting('ACME_STRAY', integer(1, 2), '1', 'Stray.');
    expect(() => settings.get(stray)).toThrow(
      'ACME_STRAY is not among the "settings" of a group or a plugin',
    );
  });

  it('refuses a value of a setting by the name alone', () => {
    const read = (): unknown => setOf([plugin({ settings: [rate] })], { ACME_RATE: 'hunter2' });
    expect(read).toThrow(
      expect.objectContaining({ message: 'ACME_RATE must be a whole number from 1 to 100.' }),
    );
  });

  it('refuses what has no decorator', () => {
    expect(() => setOf([Thing])).toThrow('Thing is no plugin: a plugin is a class with @TradepostPlugin.');
  });

  const code = (name: string, status = 409): ErrorCode => new ErrorCode(name, status);
  const event = (name: string): object => new WebhookEventType({ name, description: 'One.', data: Thing });
  const twice = (declared: Declared): Declared[] => [declared, { ...declared, name: 'other' }];

  it.each<[string, Declared[], string | RegExp]>([
    ['no name', [{ name: undefined }], 'The plugin AcmePlugin needs a "name": text of at most 40 characters'],
    ['a name that is none', [{ name: '../acme' }], 'The plugin AcmePlugin needs a "name"'],
    ['an unknown field', [{ entites: [] }], 'Plugin "acme" has an unknown field "entites"; there are name,'],
    ['a wrong type', [{ scopes: 'acme:read' }], 'Plugin "acme" needs "scopes" to be a list of Scope.'],
    [
      'a wrong item',
      [{ errorCodes: [{ code: 'acme_x', status: 409 }] }],
      'needs "errorCodes" to be a list of ErrorCode.',
    ],
    [
      'entities that are no classes',
      [{ entities: [7] }],
      'needs "entities" to be a list of classes with @Entity.',
    ],
    [
      'no compatibility',
      [{ compatibility: undefined }],
      'Plugin "acme" needs a "compatibility": a semver range',
    ],
    [
      'another version',
      [{ compatibility: '^2.0.0' }],
      'Plugin "acme" is made for version ^2.0.0, but this is 1.3.0.',
    ],
    ['no version', [{ compatibility: 'newest' }], 'Plugin "acme" needs "compatibility" to be a semver range'],
    ['one name twice', [{}, {}], 'Two plugins are named "acme"; rename one, or load it once.'],
    [
      'no extension point',
      [{ implementations: [Thing] }],
      'Plugin "acme" implements Thing, which extends no extension point; there are Vault.',
    ],
    [
      'a port of the service',
      [{ implementations: [AcmePersons] }],
      'Plugin "acme" implements Persons, which a part of the service does; there are Vault.',
    ],
    [
      'a check among the implementations',
      [{ implementations: [AcmeCheck] }],
      'Plugin "acme" has the RiskCheck AcmeCheck in "implementations"; list it in "checks".',
    ],
    [
      'a check that is none',
      [{ checks: [AcmeFees] }],
      'Plugin "acme" lists AcmeFees in "checks", which extends no RiskCheck.',
    ],
    [
      'a check twice',
      [{ checks: [AcmeCheck, OtherCheck, AcmeCheck] }],
      'Plugin "acme" lists AcmeCheck twice in "checks"; keep one.',
    ],
    [
      'a check that is no class',
      [{ checks: ['x'] }],
      'needs "checks" to be a list of classes that extend RiskCheck.',
    ],
    [
      'a filter that is none',
      [{ filters: [Thing] }],
      'needs "filters" to be a list of classes that extend Filter, with a method messages, rooms,',
    ],
    ['a filter without a method', [{ filters: [class extends Filter {}] }], 'needs "filters" to be a list'],
    [
      'a cache that is none',
      [{ caches: [Thing] }],
      'needs "caches" to be a list of classes that extend SharedCache.',
    ],
    [
      'one extension point twice',
      twice({ implementations: [AcmeVault] }),
      'Plugins "acme" and "other" both have the extension point "Vault"; change one of them.',
    ],
    [
      'an entity without a migration',
      [{ entities: [Thing] }],
      'has the entity Thing but no migration that makes its table',
    ],
    [
      'one table twice',
      twice({ entities: [Thing], migrations: [CreateAcmeThings1790000000000] }),
      /both have the migration/,
    ],
    [
      'an entity without @Entity',
      [{ entities: [ThingsController], migrations: [CreateAcmeThings1790000000000] }],
      'the table "" must be lower-case words',
    ],
    [
      'a scope without its prefix',
      [{ scopes: [new Scope('read:acme', 'x')] }],
      'Plugin "acme": the scope "read:acme" must begin with "acme:".',
    ],
    [
      'a scope of the service',
      [{ name: 'markets', scopes: [new Scope('markets:trade', 'x')] }],
      'Plugin "markets": the scope "markets:trade" is one of the service; choose another name.',
    ],
    [
      'a scope twice',
      [{ scopes: [new Scope('acme:read', 'x'), new Scope('acme:read', 'y')] }],
      'the scope "acme:read" is declared twice; keep one.',
    ],
    [
      'a code without its prefix',
      [{ errorCodes: [code('no_things')] }],
      'the error code "no_things" must begin with "acme_".',
    ],
    [
      'a code of the service',
      [{ name: 'route', errorCodes: [code('route_not_found', 404)] }],
      'the error code "route_not_found" is one of the service',
    ],
    [
      'a code that two have',
      [{ errorCodes: [code('acme_x_full')] }, { name: 'acme-x', errorCodes: [code('acme_x_full')] }],
      'Plugins "acme" and "acme-x" both have the error code "acme_x_full"; change one of them.',
    ],
    [
      'a status that is none of an error',
      [{ errorCodes: [code('acme_fine', 200)] }],
      'gives the error code "acme_fine" the status 200; choose one',
    ],
    [
      'a field without its prefix',
      [{ fields: [field('desk')] }],
      'the field "desk on orders" must begin with "acme_".',
    ],
    ['a field of no form', [{ fields: [field('acme_Desk')] }], 'must be lower-case words with underscores'],
    ['a field twice', [{ fields: [field('acme_a'), field('acme_a')] }], 'is declared twice; keep one.'],
    [
      'a field that two have',
      [{ fields: [field('acme_x_a')] }, { name: 'acme-x', fields: [field('acme_x_a')] }],
      'Plugins "acme" and "acme-x" both have the field "acme_x_a on orders"; change one of them.',
    ],
    [
      'a field on what has none',
      [{ fields: [field('acme_a', { on: 'trades' as never })] }],
      'Plugin "acme" has the field "acme_a", which needs "on" to be one of users, accounts, orders, markets, messages.',
    ],
    [
      'a field without a type',
      [{ fields: [field('acme_a', { type: 'text' as never })] }],
      'needs a "type": text(max),',
    ],
    [
      'a field with too much text',
      [{ fields: [field('acme_a', { type: text(2_001) })] }],
      'with max from 1 to 2000',
    ],
    ['a field with no text', [{ fields: [field('acme_a', { type: text(NaN) })] }], 'with max from 1 to 2000'],
    ['a field of no choice', [{ fields: [field('acme_a', { type: oneOf() })] }], 'needs oneOf(…) with'],
    [
      'a field of a choice twice',
      [{ fields: [field('acme_a', { type: oneOf('a', 'a') })] }],
      'different texts',
    ],
    [
      'a field for nobody',
      [{ fields: [field('acme_a', { readableBy: 'all' as never })] }],
      'needs "readableBy" to be',
    ],
    [
      'an unknown member of a field',
      [{ fields: [{ ...field('acme_a'), index: true } as never] }],
      'unknown member "index"',
    ],
    [
      'a market that its owner changes',
      [{ fields: [field('acme_a', { on: 'markets', writableBy: 'owner' })] }],
      'which is on markets, which operators alone change.',
    ],
    [
      'a filter that nobody may use',
      [{ fields: [field('acme_a', { readableBy: 'plugin', filterable: true })] }],
      'which is filterable, but nobody may read it.',
    ],
    [
      'a filter of messages',
      [{ fields: [field('acme_a', { on: 'messages', filterable: true })] }],
      'no list selects by',
    ],
    [
      'too many fields',
      [{ fields: Array.from({ length: 33 }, (_, index) => field(`acme_${index}`)) }],
      'Plugin "acme": the field "acme_32" is too much: orders have room for 32 fields with 8000 characters together.',
    ],
    [
      'fields with too much together, of two plugins',
      [
        {
          fields: ['acme_a', 'acme_b', 'acme_c', 'acme_d'].map((name) => field(name, { type: text(2_000) })),
        },
        { name: 'last', fields: [field('last_a')] },
      ],
      'Plugin "last": the field "last_a" is too much',
    ],
    [
      'an id prefix of the service',
      [{ idPrefixes: [new IdPrefix('ord')] }],
      'the id prefix "ord" is one of the service',
    ],
    [
      'an id prefix that is none',
      [{ idPrefixes: [new IdPrefix('A_')] }],
      'the id prefix "A_" must be three to eight lower-case letters.',
    ],
    [
      'an id prefix that two have',
      twice({ idPrefixes: [new IdPrefix('thi')] }),
      'both have the id prefix "thi"',
    ],
    [
      'a setting without its prefix',
      [{ settings: [setting('RATE', integer(1, 2), '1', 'x')] }],
      'the setting "RATE" must begin with "ACME_".',
    ],
    [
      'a setting of the service',
      [{ name: 'rate', settings: [setting('RATE_LIMITS', integer(1, 2), '1', 'x')] }],
      'the setting "RATE_LIMITS" is one of the service',
    ],
    [
      'an event without its prefix',
      [{ webhookEvents: [event('thing.made')] }],
      'the webhook event "thing.made" must begin with "acme.".',
    ],
    [
      'an event with a bad name',
      [{ webhookEvents: [event('acme.Made!')] }],
      'the webhook event "acme.Made!" must be lower-case words',
    ],
    [
      'a metric without its prefix',
      [{ metrics: [{ name: 'made_total', help: 'x' }] }],
      'the metric "made_total" must begin with "acme_".',
    ],
    [
      'a metric with a bad name',
      [{ metrics: [{ name: 'acme_made-total', help: 'x' }] }],
      'the metric "acme_made-total" must be lower-case words',
    ],
    [
      'a namespace without its prefix',
      [{ providers: [StrayGateway] }],
      'the namespace "/elsewhere" must begin with "/acme".',
    ],
    [
      'a migration without its time',
      [{ migrations: [class CreateThings {}] }],
      'the migration "CreateThings" must be the name of a class',
    ],
    [
      'a page of the console without its script',
      [{ consolePages: [page({ script: new URL('./none.js', import.meta.url) })] }],
      'Plugin "acme" has a page "points" of the console, which needs a "script": the file URL',
    ],
    [
      'a page of the console that is not from a file',
      [{ consolePages: [page({ script: new URL('https://acme.example/points.js') })] }],
      'which needs a "script"',
    ],
    [
      'a page of the console at a path of several parts',
      [{ consolePages: [page({ path: '../markets' })] }],
      'has a page "../markets" of the console, which needs a "path" of lower-case words',
    ],
    [
      'a page of the console for nobody in particular',
      [{ consolePages: [page({ audience: 'admins' })] }],
      'which needs an "audience": everybody, users, operators.',
    ],
    [
      'two pages of the console at one path',
      [{ consolePages: [page(), page()] }],
      'the page of the console "acme/points" is declared twice',
    ],
  ])('refuses %s, in one line', (_what, plugins, message) => {
    const expected: unknown =
      typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message);
    expect(() => load(...plugins)).toThrow(expect.objectContaining({ message: expected }));
    expect(() => load(...plugins)).not.toThrow(/\n/);
  });

  it('takes a namespace below its name', () => {
    expect(load({ providers: [AcmeGateway] }).plugins).toHaveLength(1);
  });
});
