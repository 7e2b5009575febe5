import type { DynamicModule, Provider, Type } from '@nestjs/common';
import { declarationOf } from './plugin.js';

type ModuleList = 'imports' | 'controllers' | 'providers';

/** The controllers and providers of a plugin's module and of the modules that it imports, other plugins left out. */
export function classesOf({ type }: { readonly type: Type }): readonly Type[] {
  const classes = new Set<Type>();
  collect(type, classes, new Set());
  return [...classes];
}

function collect(module: unknown, classes: Set<Type>, seen: Set<unknown>): void {
  if (module == null || seen.has(module)) return;
  seen.add(module);
  for (const controller of listed(module, 'controllers') as Type[]) classes.add(controller);
  for (const provider of listed(module, 'providers') as Provider[]) {
    if (typeof provider === 'function') classes.add(provider);
    else if ('useClass' in provider) classes.add(provider.useClass);
  }
  for (const imported of listed(module, 'imports')) {
    if (declarationOf(imported) === undefined) collect(imported, classes, seen);
  }
}

/** What a module's decorator says, and a dynamic module beside it. */
function listed(module: object, list: ModuleList): unknown[] {
  const type = typeof module === 'function' ? module : (module as Partial<DynamicModule>).module;
  const decorated = type && (Reflect.getMetadata(list, type) as readonly unknown[] | undefined);
  const added = typeof module === 'function' ? undefined : (module as Partial<DynamicModule>)[list];
  return [...(decorated ?? []), ...(added ?? [])];
}
