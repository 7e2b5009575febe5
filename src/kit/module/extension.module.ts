import { Global, Module, type DynamicModule, type Provider } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ApprovalCatalogue } from '../approvals/approval-type.js';
import { Settings } from '../config/settings.js';
import { DeclaredRoutes, markPlugin } from '../http/declared-routes.js';
import { FieldedTables } from '../fields/fielded-table.js';
import { Fields } from '../fields/fields.js';
import { StoredFields } from '../fields/stored-fields.js';
import { FieldIndexes } from '../fields/field-indexes.js';
import { FieldCatalogue } from '../fields/field-catalogue.js';
import { ErrorCatalogue } from '../http/error-code.js';
import { BodyFields } from '../http/validation/body-fields.js';
import { ScopeCatalogue } from '../security/scope.js';
import { WebhookCatalogue } from '../webhooks/webhook-catalogue.js';
import { LanguagesOfRequests } from '../words/languages-of-requests.js';
import { Texts } from '../words/texts.js';
import { Enlistment } from './enlistment.js';
import type { DeclaredPoint } from './extension-point.js';
import { PluginCheck } from './plugin-check.js';
import { PluginMetrics } from './plugin-metrics.js';
import { classesOf } from './module-classes.js';
import { ModuleSet } from './module-set.js';
import { DeclaredValues } from '../server/openapi/declared-values.js';

/** Loads plugins and groups, and provides every extension point and what all of them add to the whole service. */
@Global()
@Module({})
export class ExtensionModule {
  static forRoot(set: ModuleSet, texts = new Texts({ catalogs: set.words })): DynamicModule {
    const points = set.points.declared;
    for (const plugin of set.plugins) {
      for (const type of classesOf(plugin)) markPlugin(type, plugin.name);
    }
    PluginMetrics.limitModulesOf(set);
    return {
      module: ExtensionModule,
      // Plugins first: their routes stand before those of the service.
      imports: [DiscoveryModule, ...[...set.plugins, ...set.own].map(({ type }) => type)],
      providers: [
        ...points.map((point) => providerOf(point, set)),
        { provide: ModuleSet, useValue: set },
        { provide: Settings, useValue: set.settings },
        { provide: ScopeCatalogue, useValue: set.scopes },
        { provide: FieldCatalogue, useValue: set.fields },
        { provide: FieldedTables, useValue: set.fieldedTables },
        FieldIndexes,
        StoredFields,
        Fields,
        { provide: BodyFields, useExisting: FieldCatalogue },
        { provide: ErrorCatalogue, useValue: set.errorCodes },
        { provide: ApprovalCatalogue, useValue: set.approvals },
        { provide: DeclaredValues, useValue: declaredValuesOf(set) },
        { provide: WebhookCatalogue, useValue: set.webhookEvents },
        { provide: Texts, useValue: texts },
        LanguagesOfRequests,
        DeclaredRoutes,
        Enlistment,
        PluginCheck,
        PluginMetrics,
      ],
      exports: [
        ...points.map(({ point }) => point),
        ModuleSet,
        Settings,
        PluginMetrics,
        FieldCatalogue,
        BodyFields,
        StoredFields,
        Fields,
        ScopeCatalogue,
        ErrorCatalogue,
        ApprovalCatalogue,
        WebhookCatalogue,
        Texts,
        LanguagesOfRequests,
      ],
    };
  }
}

function declaredValuesOf({ approvals, scopes }: ModuleSet): DeclaredValues {
  return new DeclaredValues({
    ApprovalKind: approvals.names,
    Scope: scopes.grantable,
    OperatorRole: scopes.roles,
  });
}

function providerOf({ point, standard, list }: DeclaredPoint, set: ModuleSet): Provider {
  if (list !== undefined) {
    const classes = set.listed(list);
    return { provide: point, useFactory: (...objects: unknown[]) => objects, inject: [...classes] };
  }
  const bound = set.implementationOf(point);
  // A bound class belongs to its module, which has its dependencies.
  if (bound !== undefined) return { provide: point, useExisting: bound };
  if (standard === undefined) throw new Error(`Nothing implements ${point.name}.`);
  return { provide: point, useClass: standard };
}
