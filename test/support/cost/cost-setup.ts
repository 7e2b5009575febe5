import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { COST_FOLDER, type SpecCost } from './spec-cost.js';

/** Notes for the cost reporter what each spec file costs this worker: its import, its tests and its hooks. */
const folder = process.env[COST_FOLDER];
if (folder !== undefined) {
  const before = process.cpuUsage();
  const startedAtMs = performance.now();
  const note = (spec: string, cost?: SpecCost): void =>
    writeFileSync(
      join(folder, `${process.pid}${cost === undefined ? '' : `-${Date.now()}`}.json`),
      JSON.stringify(cost ?? spec),
    );
  beforeAll(() => note(expect.getState().testPath!));
  // Registered before those of the spec, so it runs after them.
  afterAll(() => {
    const spec = expect.getState().testPath!;
    const { user, system } = process.cpuUsage(before);
    note(spec, { spec, workerMs: (user + system) / 1_000, wallMs: performance.now() - startedAtMs });
  });
}
