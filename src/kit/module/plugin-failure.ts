import type { Type } from '@nestjs/common';
import { StartRefusal } from '../config/start-refusal.js';
import { MetricTaken } from '../metrics/metrics-registry.js';
import type { DeclaredPlugin } from './declaration-check.js';
import { classesOf } from './module-classes.js';
import { takenName } from './module-names.js';
import type { ModuleSet } from './module-set.js';

/** One line for a start that a plugin's own code made fail; any other error as it is. */
export function refusalOf(error: unknown, { plugins }: ModuleSet): unknown {
  if (error instanceof MetricTaken) {
    const owner = plugins.find(({ metrics = [] }) => metrics.some(({ name }) => name === error.metric));
    return owner === undefined ? error : takenName(owner.name, `metric "${error.metric}"`);
  }
  if (!(error instanceof Error) || error instanceof StartRefusal) return error;
  const found = mentioned(`${error.message}\n${error.stack ?? ''}`, plugins);
  if (found === undefined) return error;
  const [message = ''] = error.message.split('\n');
  return new StartRefusal(`Plugin "${found.plugin.name}" failed in ${found.type.name}: ${message}`, {
    cause: error,
  });
}

/** The first line of a stack that is within a plugin's class. */
function mentioned(
  stack: string,
  plugins: readonly DeclaredPlugin[],
): { readonly plugin: DeclaredPlugin; readonly type: Type } | undefined {
  for (const line of stack.split('\n')) {
    for (const plugin of plugins) {
      const type = [...classesOf(plugin), plugin.type].find(({ name }) => mentions(line, name));
      if (type !== undefined) return { plugin, type };
    }
  }
  return undefined;
}

/** Whether a stack's line is within the class, or a line of Nest's is about its dependencies. */
function mentions(line: string, name: string): boolean {
  return new RegExp(`\\bat (?:async )?(?:new )?${name}\\b|\\b(?:of|in) the ${name}\\b`).test(line);
}
