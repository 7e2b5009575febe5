import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALWAYS, SERVICE_MODULES } from '../../src/app.module.js';
import { groupsBelow } from '../../src/kit/module/module-classes.js';
import { declarationOf } from '../../src/kit/module/tradepost-module.js';
import { createDemoDatabase, startTestApp } from '../support/app.js';
import { Caller } from '../support/caller.js';
import type { TestDatabase } from '../support/database.js';

const GROUPS = SERVICE_MODULES.filter((module) => !ALWAYS.includes(module));

describe('a group with no more than what it stands on', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDemoDatabase();
  });
  afterAll(() => database.drop());

  it.each(GROUPS.map((group) => [declarationOf(group)!.name, group] as const))(
    'starts, and describes itself: %s',
    async (name, group) => {
      const below = [...groupsBelow(group)].map((each) => declarationOf(each)!.name);
      const app = await startTestApp({ databaseUrl: database.url, groups: [name, ...below] });
      try {
        const guest = new Caller(app.url);
        expect((await guest.get('/health')).body).toEqual({ status: 'ok' });
        expect((await guest.get('/openapi.json')).status).toBe(200);
        expect((await guest.get('/asyncapi.json')).status).toBe(200);
      } finally {
        await app.close();
      }
    },
  );
});
