import { type OutputChunk, rolldown } from 'rolldown';
import { expect, it } from 'vitest';
import { serviceOfSources } from '../../rolldown.config.mjs';

/** prom-client has it, too. */
const API = /@opentelemetry\/api\//;

it('the service loads what makes spans only when it is asked for', { timeout: 120_000 }, async () => {
  const bundle = await rolldown(serviceOfSources);
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  const chunks = new Map(output.flatMap((part) => (part.type === 'chunk' ? [[part.fileName, part]] : [])));
  const loaded = new Set<OutputChunk>();
  const load = (name: string): void => {
    const chunk = chunks.get(name);
    if (chunk === undefined || loaded.has(chunk)) return;
    loaded.add(chunk);
    chunk.imports.forEach(load);
  };
  load('main.js');
  // `main.js` itself imports the service late.
  chunks
    .get('main.js')!
    .dynamicImports.filter((name) => /^(?:service|start)/.test(name))
    .forEach(load);

  const tracers = (all: Iterable<OutputChunk>): string[] =>
    [...all].flatMap(({ moduleIds }) =>
      moduleIds.filter((id) => id.includes('@opentelemetry/') && !API.test(id)),
    );
  expect(tracers(loaded)).toEqual([]);
  expect([...loaded].flatMap(({ moduleIds }) => moduleIds).some((id) => id.endsWith('core.service.ts'))).toBe(
    true,
  );
  expect(tracers(chunks.values()).length).toBeGreaterThan(0);
});
