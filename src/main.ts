import module from 'node:module';
import { join } from 'node:path';

// Both before the rest is loaded: traces name the lines of src/*.ts, and what V8 has compiled at one start serves the next.
process.setSourceMapsEnabled(true);
enableCompileCache();
const { start } = await import('./start.js');
await start();

/** Node 20 has none. Beside the code, where only who may change the code can write. */
function enableCompileCache(): void {
  (module as Partial<typeof module>).enableCompileCache?.(join(import.meta.dirname, '.compile-cache'));
}
