import module from 'node:module';
import { join } from 'node:path';

// Both before the rest is loaded: stack traces then name the lines of src/*.ts, and V8's compile cache serves the next
// start.
process.setSourceMapsEnabled(true);
enableCompileCache();
const { start } = await import('./start.js');
await start();

/** Node 20 has none. Beside the code, where only who may change the code can write. */
function enableCompileCache(): void {
  (module as Partial<typeof module>).enableCompileCache?.(join(import.meta.dirname, '.compile-cache'));
}
