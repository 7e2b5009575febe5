/** What plugins of specs declare, and a service that they are added to. */
import 'reflect-metadata';
import { Controller, Injectable, type Type } from '@nestjs/common';
import { WebSocketGateway } from '@nestjs/websockets';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { IdPrefix } from '../../src/domain/ids.js';
import { ReadEnvironment } from '../../src/kit/config/read-environment.js';
import type { Environment } from '../../src/kit/config/setting.js';
import { integer } from '../../src/kit/config/readers.js';
import { setting } from '../../src/kit/config/setting.js';
import type { FieldDeclaration } from '../../src/kit/fields/field-declaration.js';
import { text } from '../../src/kit/fields/field-type.js';
import { ADMIN, Scope } from '../../src/kit/security/scope.js';
import { ConsolePage, type ConsolePageOptions } from '../../src/kit/server/console/console-page.js';
import { extensionPoint, port, severalOf } from '../../src/kit/module/extension-point.js';
import { ModuleSet } from '../../src/kit/module/module-set.js';
import {
  TradepostModule,
  TradepostPlugin,
  type PluginDeclaration,
} from '../../src/kit/module/tradepost-module.js';

export abstract class FeePolicy {
  abstract rate(): string;
}
export class AcmeFees extends FeePolicy {
  override rate(): string {
    return '0.01';
  }
}
export abstract class RiskCheck {}
export class AcmeCheck extends RiskCheck {}
export class OtherCheck extends RiskCheck {}
export abstract class Vault {}
export class OwnVault extends Vault {}
export class AcmeVault extends Vault {}
export abstract class Persons {}
export class ServicePersons extends Persons {}
export class AcmePersons extends Persons {}

@Entity('acme_things')
export class Thing {
  @PrimaryColumn({ type: 'bigint' })
  id: string;

  @Column({ type: 'text' })
  text: string;
}

export class CreateAcmeThings1790000000000 {
  up = async (): Promise<void> => {};
  down = async (): Promise<void> => {};
}

@WebSocketGateway({ namespace: '/acme/live' })
@Injectable()
export class AcmeGateway {}

@WebSocketGateway({ namespace: '/elsewhere' })
@Injectable()
export class StrayGateway {}

@Controller('things')
export class ThingsController {}

export type Declared = Record<string, unknown>;

/** As a program in JavaScript may declare it. */
export function plugin(declared: Declared = {}): new () => object {
  class AcmePlugin {}
  const declaration = { name: 'acme', compatibility: '^1.2.0', ...declared };
  TradepostPlugin(declaration as unknown as PluginDeclaration)(AcmePlugin);
  return AcmePlugin;
}
/** A page as a program in JavaScript may make it; any module is good enough as its script here. */
export function page(options: Declared = {}): ConsolePage {
  const script = new URL('../../lint/house-rules.js', import.meta.url);
  const page = { path: 'points', title: 'Points', audience: 'users', script, ...options };
  return new ConsolePage(page as unknown as ConsolePageOptions);
}
export const rate = setting('ACME_RATE', integer(1, 100), '10', 'A rate.');

@TradepostModule({
  name: 'service',
  idPrefixes: [new IdPrefix('ord')],
  scopes: [new Scope('markets:trade', 'trade'), ADMIN],
  extensionPoints: [
    port(Persons),
    extensionPoint(Vault, OwnVault),
    severalOf(FeePolicy, 'feePolicies'),
    severalOf(RiskCheck, 'checks'),
  ],
  implementations: [ServicePersons],
})
export class OwnModule {}

export const setOf = (plugins: readonly Type[], environment: Environment = {}): ModuleSet =>
  ModuleSet.of({
    own: [OwnModule],
    plugins,
    serviceVersion: '1.3.0',
    environment: new ReadEnvironment(environment),
    isProduction: false,
  });
export const load = (...declared: Declared[]): ModuleSet => setOf(declared.map(plugin));

export const field = (name: string, more: Partial<FieldDeclaration> = {}): FieldDeclaration => ({
  on: 'orders',
  name,
  type: text(20),
  ...more,
});
