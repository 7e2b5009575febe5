import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { StartRefusal } from '../config/start-refusal.js';
import { FieldCatalogue } from '../fields/field-catalogue.js';
import { fieldMarks, membersOf } from '../fields/field-marks.js';
import { documentedCodesOf } from '../http/api-errors.js';
import { ErrorCatalogue } from '../http/error-code.js';
import { DeclaredRoutes, type DeclaredRoute } from '../http/declared-routes.js';
import { credentialPolicyOf } from '../security/credential-policy.js';
import { ScopeCatalogue } from '../security/scope.js';
import { classesOf } from './module-classes.js';
import { takenName } from './module-names.js';
import { ModuleSet } from './module-set.js';
import { requireOwnTokens } from './plugin-doors.js';

/** Refuses to start where a plugin claims what the service itself has, as far as only the whole application shows it. */
@Injectable()
export class PluginCheck implements OnModuleInit {
  private readonly owners: ReadonlyMap<object, string>;

  constructor(
    private readonly set: ModuleSet,
    private readonly routes: DeclaredRoutes,
    private readonly errors: ErrorCatalogue,
    private readonly scopes: ScopeCatalogue,
    private readonly fields: FieldCatalogue,
    private readonly dataSource: DataSource,
    private readonly modules: ModulesContainer,
  ) {
    this.owners = new Map(
      set.plugins.flatMap((plugin) => classesOf(plugin).map((type) => [type, plugin.name] as const)),
    );
  }

  async onModuleInit(): Promise<void> {
    if (this.set.plugins.length === 0) return;
    requireOwnTokens(this.set.plugins, this.modules);
    const routes = this.routes.all();
    this.requireOwnRoutes(routes);
    this.requireListedCodes(routes);
    this.requireListedScopes(routes);
    this.requireFreeFields();
    await this.requireTables();
  }

  /** A field stands beside the members that bodies, answers and queries have already. */
  private requireFreeFields(): void {
    for (const [type, { on }] of fieldMarks()) {
      const members = membersOf(type);
      const taken = this.fields.on(on).find(({ name }) => members.has(name));
      if (taken !== undefined) throw takenName(taken.plugin, `field "${taken.name} on ${on}"`);
    }
  }

  /** A plugin's routes stand before the service's, so that one that matches more would take their requests. */
  private requireOwnRoutes(routes: readonly DeclaredRoute[]): void {
    const all = routes.flatMap((route) =>
      route.paths.map((path) => ({ ...route, path, owner: this.owners.get(route.controller) })),
    );
    for (const own of all) {
      if (own.owner === undefined) continue;
      const other = all.find(
        (each) =>
          !(each.controller === own.controller && each.handler === own.handler) &&
          (each.method === own.method || own.method === 'ALL') &&
          covers(own.path, each.path),
      );
      if (other === undefined) continue;
      const whose = other.owner === undefined ? 'the service' : `the plugin "${other.owner}"`;
      throw new StartRefusal(
        `Plugin "${own.owner}": ${own.method} ${own.path} (${own.name}) takes the requests of ${other.path} (${other.name}) of ${whose}; choose another path.`,
      );
    }
  }

  private requireListedCodes(routes: readonly DeclaredRoute[]): void {
    const listed = new Set(this.errors.codes);
    for (const { controller, handler, name } of routes) {
      const missing = [...documentedCodesOf(controller), ...documentedCodesOf(handler)].find(
        ({ code }) => !listed.has(code),
      );
      if (missing === undefined) continue;
      refuse(
        this.owners.get(controller),
        `${name} documents the error code "${missing.code}"; list it in "errorCodes".`,
      );
    }
  }

  private requireListedScopes(routes: readonly DeclaredRoute[]): void {
    for (const { controller, handler, name } of routes) {
      const policy = credentialPolicyOf(controller, handler);
      const [missing] = policy?.access === 'scopes' ? this.scopes.missingOf(policy.requirement) : [];
      if (missing === undefined) continue;
      refuse(this.owners.get(controller), `${name} requires the scope "${missing}"; list it in "scopes".`);
    }
  }

  private async requireTables(): Promise<void> {
    for (const { name, entities = [] } of this.set.plugins) {
      for (const entity of entities) {
        const { tablePath } = this.dataSource.getMetadata(entity);
        const [row] = await this.dataSource.query<[{ readonly is_there: boolean }]>(
          'SELECT to_regclass($1) IS NOT NULL AS is_there',
          [tablePath],
        );
        if (!row.is_there) refuse(name, `no migration makes the table "${tablePath}" of ${entity.name}.`);
      }
    }
  }
}

function refuse(plugin: string | undefined, problem: string): never {
  throw new StartRefusal(`${plugin === undefined ? 'The service' : `Plugin "${plugin}"`}: ${problem}`);
}

/** Whether every path that the other matches is matched by this one too. */
function covers(path: string, other: string): boolean {
  const segments = path.split('/');
  const others = other.split('/');
  for (const [at, segment] of segments.entries()) {
    if (segment.startsWith('*') || segment.startsWith('{*')) return true;
    const theirs = others[at];
    if (theirs === undefined) return false;
    if (!segment.startsWith(':') && segment.toLowerCase() !== theirs.toLowerCase()) return false;
  }
  return segments.length === others.length;
}
