import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuditEntry, auditEntryOf } from '../../kit/audit/audit-entry.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { deposit, limit, onClient, openFloor, TestCore, type Floor } from '../../../test/support/core.js';
import { actorsOf, readJournal } from '../journal/journal-reader.js';

let database: TestDatabase;
let core: TestCore;
let floor: Floor;

beforeAll(async () => {
  database = await createTestDatabase();
  core = await TestCore.start(database.url);
  floor = await openFloor(core);
});
afterAll(async () => {
  await core.stop();
  await database.drop();
});

function entryAbout(id: string): AuditEntry {
  return auditEntryOf(
    {
      actor: { person: 'user:1', credential: 'session:root', address: '127.0.0.1' },
      action: 'createDeposit',
      requestId: 'r-1',
    },
    { target: { type: 'account', id }, details: { note: 'odd \0 \ud83d text' } },
  );
}

async function rowsAbout(id: string): Promise<number> {
  return (await core.query('SELECT FROM audit_log WHERE target_id = $1', [id])).length;
}

describe('an act that the core carries out', () => {
  it('has its row in the commit of its commands', async () => {
    await core.sequencer.submit({ commands: [deposit(floor.ann, 'USD', '5')], audit: entryAbout('done') });
    expect(
      await core.query(
        `SELECT actor_person, action, target_type, target_id, outcome, details, entry.xmin = transfer.xmin AS together
         FROM audit_log entry, transfers transfer WHERE target_id = 'done' ORDER BY transfer.transfer_id DESC LIMIT 1`,
      ),
    ).toEqual([
      {
        actor_person: 'user:1',
        action: 'createDeposit',
        target_type: 'account',
        target_id: 'done',
        outcome: 'succeeded',
        details: { note: 'odd \ufffd \ufffd text' },
        together: true,
      },
    ]);
  });

  it('has none where every command is refused, or is a repeat', async () => {
    await core.sequencer.submit({ commands: [deposit(floor.ann, 'XXX', '5')], audit: entryAbout('refused') });
    expect(await rowsAbout('refused')).toBe(0);

    const idempotency = { owner: 'client:a', key: 'k', fingerprint: 'f' };
    const request = { commands: [deposit(floor.ann, 'USD', '5')], idempotency, audit: entryAbout('once') };
    await core.sequencer.submit(request);
    await core.sequencer.submit(request);
    expect(await rowsAbout('once')).toBe(1);
  });

  it('has none where the commit fails, and one where it is carried out after all', async () => {
    const request = { commands: [deposit(floor.ann, 'USD', '5')], audit: entryAbout('cut') };
    await core.query('ALTER TABLE audit_log ADD CONSTRAINT nobody CHECK (target_id <> $$cut$$) NOT VALID');
    await expect(core.sequencer.submit(request)).rejects.toMatchObject({ code: 'internal_error' });
    expect(await rowsAbout('cut')).toBe(0);
    await core.query('ALTER TABLE audit_log DROP CONSTRAINT nobody');
    await core.sequencer.submit(request);
    expect(await rowsAbout('cut')).toBe(1);
    expect(await core.verify()).toMatchObject({ ok: true });
  });
});

describe('the journal', () => {
  it('says who sent each command, and is proven by the same replay', async () => {
    const { sequence } = core.sequencer.freshTerm();
    await Promise.all([
      core.sequencer.submit({
        commands: [limit(floor.ann, 'buy', 100, 1), limit(floor.ann, 'buy', 101, 1)],
        actor: 'user:1 api_key:key_1',
      }),
      core.sequencer.submit({ commands: [limit(floor.bob, 'buy', 100, 1)] }),
      core.sequencer.submit({ commands: [limit(floor.cat, 'buy', 100, 1)], actor: 'client:cat' }),
    ]);
    const entries = await onClient(database.url, (client) => readJournal(client, sequence, 100));
    expect(entries.flatMap((entry) => actorsOf(entry))).toEqual([
      'user:1 api_key:key_1',
      'user:1 api_key:key_1',
      null,
      'client:cat',
    ]);
    expect(await core.verify()).toMatchObject({ ok: true });
  });

  it('names the row in which somebody put another sender', async () => {
    await core.query(`UPDATE journal SET actors = replace(actors, 'client:cat', 'client:bob')`);
    expect(await core.verify()).toMatchObject({ ok: false, reason: 'its content does not give its hash' });
    await core.query(`UPDATE journal SET actors = replace(actors, 'client:bob', 'client:cat')`);
    expect(await core.verify()).toMatchObject({ ok: true });
  });
});
