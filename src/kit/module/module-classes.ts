import type { DynamicModule, ForwardReference, Provider, Type } from '@nestjs/common';
import { declarationOf } from './tradepost-module.js';

/** As a list of imports has it. */
type ListedModule = Type | DynamicModule;
type ModuleList = 'imports' | 'controllers' | 'providers';

/** A module and those that it imports, at any depth, groups and other plugins left out. */
export function modulesOf({ type }: { readonly type: Type }): readonly ListedModule[] {
  const modules = new Set<ListedModule>();
  collect(type, modules);
  return [...modules];
}

function collect(module: ListedModule | ForwardReference | undefined, modules: Set<ListedModule>): void {
  if (module == null) return;
  // Modules of plugins that import each other name one of them by Nest's forwardRef.
  const listedModule =
    'forwardRef' in module ? (module as ForwardReference<() => ListedModule>).forwardRef() : module;
  if (modules.has(listedModule)) return;
  modules.add(listedModule);
  for (const imported of listed(listedModule, 'imports')) {
    if (declarationOf(imported) === undefined) collect(imported as ListedModule, modules);
  }
}

/** The groups that a module of the service stands on: what it imports, at any depth. */
export function groupsBelow(module: Type): ReadonlySet<Type> {
  const groups = new Set<Type>();
  for (const imported of modulesOf({ type: module }).flatMap((each) => listed(each, 'imports'))) {
    if (declarationOf(imported) === undefined || groups.has(imported as Type)) continue;
    groups.add(imported as Type);
    for (const below of groupsBelow(imported as Type)) groups.add(below);
  }
  return groups;
}

/** The controllers and providers of a plugin's modules. */
export function classesOf(plugin: { readonly type: Type }): readonly Type[] {
  const classes = new Set<Type>();
  for (const module of modulesOf(plugin)) {
    for (const controller of listed(module, 'controllers') as Type[]) classes.add(controller);
    for (const provider of providersOf(module)) {
      if (typeof provider === 'function') classes.add(provider);
      else if ('useClass' in provider) classes.add(provider.useClass);
    }
  }
  return [...classes];
}

/** What a module lists in `providers`. */
export function providersOf(module: ListedModule): readonly Provider[] {
  return listed(module, 'providers') as Provider[];
}

/** The class of a module; absent from what is no module, which Nest refuses in its own words. */
export function classOf(module: ListedModule): Type | undefined {
  return typeof module === 'function' ? module : (module as Partial<DynamicModule>).module;
}

/** What a module's decorator says, and a dynamic module beside it. */
function listed(module: ListedModule, list: ModuleList): unknown[] {
  const type = classOf(module);
  const decorated = type && (Reflect.getMetadata(list, type) as readonly unknown[] | undefined);
  const added = typeof module === 'function' ? undefined : module[list];
  return [...(decorated ?? []), ...(added ?? [])];
}
