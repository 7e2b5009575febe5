import { StartRefusal } from '../config/start-refusal.js';
import { MetricTaken } from '../metrics/metrics-registry.js';
import { classesOf } from './plugin-modules.js';
import { takenName } from './plugin-names.js';
import type { PluginSet } from './plugin-set.js';

/** One line for a start that a plugin's own code made fail; any other error as it is. */
export function refusalOf(error: unknown, { plugins }: PluginSet): unknown {
  if (error instanceof MetricTaken) {
    const owner = plugins.find(({ metrics = [] }) => metrics.some(({ name }) => name === error.metric));
    return owner === undefined ? error : takenName(owner.name, `metric "${error.metric}"`);
  }
  if (!(error instanceof Error) || error instanceof StartRefusal) return error;
  const lines = `${error.message}\n${error.stack ?? ''}`.split('\n');
  for (const line of lines) {
    for (const plugin of plugins) {
      const type = [...classesOf(plugin), plugin.type].find(({ name }) => mentions(line, name));
      if (type !== undefined) {
        const [message = ''] = error.message.split('\n');
        return new StartRefusal(`Plugin "${plugin.name}" failed in ${type.name}: ${message}`, {
          cause: error,
        });
      }
    }
  }
  return error;
}

/** Whether a stack's line is within the class, or a line of Nest's is about its dependencies. */
function mentions(line: string, name: string): boolean {
  return new RegExp(`\\bat (?:async )?(?:new )?${name}\\b|\\b(?:of|in) the ${name}\\b`).test(line);
}
