import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import sharp from 'sharp';
import { Webhook } from 'standardwebhooks';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { KycProvider, type KycCallback, type KycExamination, TradepostPlugin } from '../../../src/index.js';
import { CoreService } from '../../../src/core/core.service.js';
import { KycErasure } from '../../../src/modules/banking/kyc/kyc-erasure.js';
import { KycStanding } from '../../../src/modules/banking/kyc/kyc-standing.js';
import { KycUpkeep } from '../../../src/modules/banking/kyc/kyc-upkeep.js';
import { FileStore } from '../../../src/kit/files/file-store.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { eventually, queryOnce } from '../../support/core.js';
import { recordStandardOutput } from '../../support/standard-output.js';
import { approvedKyc, kycBody, passportLines, submitKyc } from '../../support/clients/kyc-client.js';
import { Caller, callerFor, loggedIn, type Json, type Reply } from '../../support/caller.js';
import { expectBalancedBooks } from '../../support/clients/markets-client.js';
import { postParts } from '../../support/clients/pets-client.js';

const APPROVAL = { decision: 'approved', reason: 'Document and data agree.' };
const REJECTION = { decision: 'rejected', reason: 'The picture shows somebody else.' };

interface Desk {
  readonly app: TestApp;
  readonly demo: Caller;
  readonly maker: Caller;
  readonly operator: Caller;
  query(text: string, values?: unknown[]): Promise<Json[]>;
  upkeep(): Promise<void>;
  levels(owner: string): Promise<number[]>;
}

async function openDesk(overrides: Parameters<typeof startTestApp>[0] = {}): Promise<Desk> {
  const app = await startTestApp({ rateLimits: 'off', ...overrides });
  const [demo, maker, operator] = await Promise.all(
    ['demo', 'maker', 'admin'].map((client) => callerFor(app.url, client)),
  );
  const query = (text: string, values: unknown[] = []): Promise<Json[]> =>
    queryOnce<Json>(app.config.databaseUrl!, text, values);
  return {
    app,
    demo: demo!,
    maker: maker!,
    operator: operator!,
    query,
    upkeep: () => app.app.nest.get(KycUpkeep).run(),
    levels: async (owner) =>
      (await app.app.nest.get(CoreService).accountsOf(owner)).map(({ kycLevel }) => kycLevel),
  };
}

async function refused(reply: Promise<Reply> | Reply, status: number, code: string): Promise<Json> {
  const { status: actual, body } = await reply;
  expect({ status: actual, code: body?.error?.code }, JSON.stringify(body)).toEqual({ status, code });
  return body.error;
}

async function png(): Promise<Uint8Array> {
  return sharp({ create: { width: 24, height: 16, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();
}

async function upload(caller: Caller, kycId: string, content: Uint8Array, side?: string): Promise<Reply> {
  const form = new FormData();
  if (side !== undefined) form.append('side', side);
  form.append('file', new File([new Uint8Array(content)], 'passport.png', { type: 'image/png' }));
  return postParts(caller, `/kyc/${kycId}/images`, form);
}

async function codesOf(caller: Caller, kycId: string): Promise<string[]> {
  const { body } = await caller.get(`/kyc/${kycId}/history`);
  return body.data.map(({ status, code }: Json) => `${status}: ${code}`);
}

describe('KYC without a sanctions list', () => {
  let desk: Desk;
  let demo: Caller;
  let operator: Caller;
  beforeAll(async () => {
    desk = await openDesk();
    ({ demo, operator } = desk);
  });
  afterAll(async () => {
    await expectBalancedBooks(operator);
    await desk.app.close();
  });
  const reset = (): Promise<unknown> =>
    desk.query("UPDATE kyc_cases SET created_at = now() - interval '2 days'");

  it('takes a person, and hands the case to an operator', async () => {
    const kyc = await submitKyc(demo);
    expect(kyc).toEqual({
      kyc_id: expect.stringMatching(/^kyc_[0-9A-Z]{11}$/),
      status: 'in_review',
      level: 0,
      reasons: [],
      requirements: [],
      person: {
        name: 'A*** E***',
        document_type: 'passport',
        document_number: expect.stringMatching(/^\*{3}\d{3}$/),
      },
      document_expires_on: '2045-04-15',
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
      decided_at: null,
    });
    expect((await demo.get(`/kyc/${kyc.kyc_id}`)).body).toEqual(kyc);
    expect((await demo.get('/kyc')).body.data[0]).toEqual(kyc);
    expect(await codesOf(demo, kyc.kyc_id)).toEqual(['pending: submitted', 'in_review: review_needed']);
    const { body } = await operator.get(`/admin/kyc/${kyc.kyc_id}`);
    expect(body.checks.filter(({ outcome }: Json) => outcome !== 'passed')).toEqual([
      { check: 'sanctions', outcome: 'review', score: null, matches: [] },
    ]);
    expect(body.revealed).toBeNull();
  });

  it('sets the level of every account once an operator approves, and of those opened later', async () => {
    const kycId = await approvedKyc(demo, operator);
    expect(new Set(await desk.levels('client:demo'))).toEqual(new Set([1]));
    const kyc = (await demo.get(`/kyc/${kycId}`)).body;
    expect(kyc).toMatchObject({ status: 'approved', level: 1, decided_at: expect.stringMatching(/Z$/) });
    expect(await codesOf(demo, kycId)).toEqual([
      'pending: submitted',
      'in_review: review_needed',
      'approved: operator_decision',
    ]);
    const { body } = await demo.get(`/kyc/${kycId}/history`);
    expect(body.data.map(({ changed_by }: Json) => changed_by)).toEqual(['owner', 'service', 'operator']);

    await demo.post('/wallets', { name: 'Opened later' });
    await desk.upkeep();
    expect(new Set(await desk.levels('client:demo'))).toEqual(new Set([1]));
    const standing = await desk.app.app.nest.get(KycStanding).standingOf('client:demo');
    expect(standing).toEqual({
      level: 1,
      approved: true,
      expiresOn: '2045-04-15',
      holderName: 'Anna Maria Eriksson',
    });
  });

  it('tells the core each level once, also where the process died in between', async () => {
    const kycId = await approvedKyc(demo, operator);
    const keys = "SELECT count(*)::int AS count FROM command_keys WHERE owner = 'request:kyc'";
    const [{ count: before }] = await desk.query(keys);
    await desk.query(
      "UPDATE kyc_persons SET applied_changes = applied_changes - 1 WHERE owner = 'client:demo'",
    );
    await desk.upkeep();
    await desk.upkeep();
    expect((await desk.query(keys))[0].count).toBe(before);
    // The decision was committed, but the core was not notified.
    await desk.query(
      "UPDATE kyc_persons SET level = 3, level_changes = level_changes + 1 WHERE owner = 'client:demo'",
    );
    await Promise.all([desk.upkeep(), desk.upkeep(), desk.upkeep()]);
    const levels = await desk.levels('client:demo');
    expect(new Set(levels)).toEqual(new Set([3]));
    expect((await desk.query(keys))[0].count).toBe(before + levels.length);
    await operator.post(`/admin/kyc/${kycId}/decision`, REJECTION);
    expect(new Set(await desk.levels('client:demo'))).toEqual(new Set([0]));
  });

  it.each([
    ['before the core is told', false],
    ['after the core has done it', true],
  ])('loses no level, and sets none twice, where the connection breaks %s', async (_when, isDone) => {
    await reset();
    const core = desk.app.app.nest.get(CoreService);
    const { kyc_id } = await submitKyc(demo);
    const owned = (await desk.levels('client:demo')).length;
    const told = `SELECT count(*)::int AS count FROM command_keys WHERE owner = 'request:kyc'`;
    const [{ count: before }] = await desk.query(told);
    const submit = core.submit.bind(core);
    const broken = vi.spyOn(core, 'submit').mockImplementation(async (request) => {
      if (isDone) await submit(request);
      throw new Error('the connection broke');
    });
    const level = isDone ? 5 : 4;
    const reply = await operator.post(`/admin/kyc/${kyc_id}/decision`, { ...APPROVAL, level });
    expect(reply).toMatchObject({ status: 200, body: { status: 'approved', level } });
    broken.mockRestore();
    await desk.upkeep();
    await desk.upkeep();
    expect(new Set(await desk.levels('client:demo'))).toEqual(new Set([level]));
    expect((await desk.query(told))[0].count).toBe(before + owned);
    expect(await desk.query('SELECT FROM kyc_persons WHERE applied_changes <> level_changes')).toEqual([]);
  });

  it('grants the level that the operator says, and takes it back', async () => {
    const { kyc_id } = await submitKyc(demo);
    const approve = await operator.post(`/admin/kyc/${kyc_id}/decision`, { ...APPROVAL, level: 2 });
    expect(approve).toMatchObject({ status: 200, body: { status: 'approved', level: 2 } });
    expect(new Set(await desk.levels('client:demo'))).toEqual(new Set([2]));
    await refused(operator.post(`/admin/kyc/${kyc_id}/decision`, APPROVAL), 409, 'conflict');
    const reject = await operator.post(`/admin/kyc/${kyc_id}/decision`, REJECTION);
    expect(reject).toMatchObject({ status: 200, body: { status: 'rejected', level: 0 } });
    expect((await demo.get(`/kyc/${kyc_id}`)).body.reasons).toEqual([
      { code: 'operator_decision', message: REJECTION.reason },
    ]);
    expect(new Set(await desk.levels('client:demo'))).toEqual(new Set([0]));
    await refused(operator.post(`/admin/kyc/${kyc_id}/decision`, REJECTION), 409, 'conflict');
  });

  it('keeps an approved case in force until a newer one is approved', async () => {
    await reset();
    const first = await approvedKyc(demo, operator);
    const second = await submitKyc(demo);
    expect((await demo.get(`/kyc/${first}`)).body.status).toBe('approved');
    await operator.post(`/admin/kyc/${second.kyc_id}/decision`, REJECTION);
    expect((await demo.get(`/kyc/${first}`)).body.status).toBe('approved');
    const third = await approvedKyc(demo, operator);
    expect((await demo.get(`/kyc/${first}`)).body).toMatchObject({
      status: 'expired',
      level: 0,
      reasons: [{ code: 'superseded' }],
    });
    expect((await demo.get(`/kyc/${third}`)).body.level).toBe(1);
    expect(new Set(await desk.levels('client:demo'))).toEqual(new Set([1]));
  });

  it('ends a case with its document, and the level with it', async () => {
    await reset();
    const kycId = await approvedKyc(demo, operator);
    const standing = (): Promise<unknown> => desk.app.app.nest.get(KycStanding).standingOf('client:demo');
    await desk.query(
      `UPDATE kyc_cases SET document_expires_on = (clock_timestamp() AT TIME ZONE 'UTC')::date WHERE status = 'approved'`,
    );
    expect(await standing()).toMatchObject({ approved: true });
    await desk.query(
      `UPDATE kyc_cases SET document_expires_on = (clock_timestamp() AT TIME ZONE 'UTC')::date - 1 WHERE status = 'approved'`,
    );
    expect(await standing()).toEqual({ level: 0, approved: false, expiresOn: null, holderName: null });
    expect((await demo.get(`/kyc/${kycId}`)).body).toMatchObject({
      status: 'expired',
      level: 0,
      reasons: [{ code: 'document_expired' }],
    });
    await desk.upkeep();
    expect(new Set(await desk.levels('client:demo'))).toEqual(new Set([0]));
    await refused(operator.post(`/admin/kyc/${kycId}/decision`, APPROVAL), 409, 'conflict');
  });

  describe('what is wrong', () => {
    const cases: readonly [what: string, overrides: Json, status: string, codes: readonly string[]][] = [
      ['a child', { date_of_birth: '2015-01-31', zone: { birthDate: '150131' } }, 'rejected', ['too_young']],
      [
        'an expired document',
        { document: { expires_on: '2020-04-15' }, zone: { expiryDate: '200415' } },
        'rejected',
        ['document_expired'],
      ],
      ['a passport without its lines', { document: { mrz: [] } }, 'rejected', ['mrz_missing']],
      ['lines that are too short', { document: { mrz: ['P<PRT', 'X'] } }, 'rejected', ['mrz_unreadable']],
      ['another date of birth', { zone: { birthDate: '740813' } }, 'rejected', ['date_of_birth_mismatch']],
      ['another number', { document: { number: 'ZZ99' } }, 'rejected', ['document_number_mismatch']],
      ['another issuer', { zone: { issuer: 'ESP' } }, 'rejected', ['issuing_country_mismatch']],
      ['another nationality', { nationality: 'DE' }, 'rejected', ['nationality_mismatch']],
      ['another date of expiry', { zone: { expiryDate: '450416' } }, 'rejected', ['expiry_mismatch']],
      ['another name', { last_name: 'Erikson' }, 'in_review', ['name_mismatch']],
      ['another type', { document: { type: 'id_card' } }, 'in_review', ['document_type_mismatch']],
      ['a licence without lines', { document: { type: 'driving_licence', mrz: [] } }, 'in_review', []],
    ];

    it.each(cases)('is told of %s', async (_what, overrides, status, codes) => {
      await reset();
      const kyc = await submitKyc(demo, overrides);
      expect({ status: kyc.status, codes: kyc.requirements.map(({ code }: Json) => code) }).toEqual({
        status,
        codes,
      });
      for (const { field, message } of kyc.requirements) {
        expect(field).toMatch(/^[a-z_]+(\.[a-z_]+)?$/);
        expect(message).toMatch(/\.$/);
      }
    });

    it('is a digit in the lines, whichever it is', async () => {
      await reset();
      const body = kycBody();
      const [first, second] = body.document.mrz as [string, string];
      for (const place of [0, 9, 13, 19, 21, 27, 42, 43]) {
        const changed = (Number(second.charAt(place)) + 1) % 10;
        const wrong = second.slice(0, place) + String(changed) + second.slice(place + 1);
        const reply = await demo.post('/kyc', {
          ...body,
          document: { ...body.document, mrz: [first, wrong] },
        });
        expect(reply.body.status, wrong).toBe('rejected');
        expect(reply.body.requirements.length).toBeGreaterThan(0);
      }
    });

    it('may be corrected in a new case', async () => {
      await reset();
      const wrong = await submitKyc(demo, { last_name: 'Erikson' });
      const right = await submitKyc(demo);
      expect((await demo.get(`/kyc/${wrong.kyc_id}`)).body).toMatchObject({
        status: 'expired',
        reasons: [{ code: 'superseded' }],
      });
      expect(right).toMatchObject({ status: 'in_review', requirements: [] });
    });

    it('is a document that somebody else has used, of which only operators are told', async () => {
      await reset();
      const body = kycBody();
      await demo.post('/kyc', body);
      const again = await desk.maker.post('/kyc', body);
      expect(again.body).toMatchObject({ status: 'in_review', requirements: [], reasons: [] });
      const { checks } = (await operator.get(`/admin/kyc/${again.body.kyc_id}`)).body;
      expect(checks.find(({ check }: Json) => check === 'document_reuse').outcome).toBe('review');
    });
  });

  it.each([
    ['Jürgen', 'Müller', 'MUELLER<<JUERGEN'],
    ['Søren', 'Kjærgård', 'KJAERGAARD<<SOEREN'],
    ['Łukasz', 'Żółć', 'ZOLC<<LUKASZ'],
    ['Оксана', 'Щербакова', 'SHCHERBAKOVA<<OKSANA'],
    ['Nguyễn', 'O’Phạm-Smith', 'OPHAM<SMITH<<NGUYEN'],
  ])('knows %s %s by the lines of the document', async (first_name, last_name, names) => {
    await reset();
    const kyc = await submitKyc(demo, { first_name, last_name, zone: { names } });
    expect(kyc.requirements).toEqual([]);
    const { body } = await operator.get(`/admin/kyc/${kyc.kyc_id}?reveal=true`);
    expect(body.revealed).toMatchObject({ first_name, last_name });
  });

  describe('under attack', () => {
    it('answers a foreign case like one that does not exist', async () => {
      await reset();
      const { kyc_id } = await submitKyc(demo);
      const image = await png();
      for (const id of [kyc_id, 'kyc_7ZZZZZZZZZZ', 'kyc_', 'acc_00000000001', "kyc_' OR 1=1"]) {
        const path = encodeURIComponent(id);
        const theirs = await refused(desk.maker.get(`/kyc/${path}`), 404, 'not_found');
        expect(theirs.message).toBe('There is no such KYC case. See GET /kyc.');
        await refused(desk.maker.get(`/kyc/${path}/history`), 404, 'not_found');
        await refused(upload(desk.maker, path, image), 404, 'not_found');
      }
      const listed = await desk.maker.walk('/kyc', 2);
      expect(listed.map((kyc) => kyc.kyc_id)).not.toContain(kyc_id);
      const stranger = await loggedIn(desk.app.url, 'bob');
      await refused(stranger.get(`/kyc/${kyc_id}`), 404, 'not_found');
      await refused(stranger.get('/admin/kyc'), 403, 'insufficient_scope');
      await refused(stranger.post(`/admin/kyc/${kyc_id}/decision`, APPROVAL), 403, 'insufficient_scope');
      await refused(new Caller(desk.app.url).get(`/kyc/${kyc_id}`), 401, 'authentication_required');
    });

    it.each([
      ['status', { status: 'approved' }],
      ['level', { level: 9 }],
      ['owner', { owner: 'client:maker' }],
      ['a nested field', { address: { country: 'PT', verified: true } }],
      ['a formula as a name', { first_name: '=HYPERLINK("http://x","y")' }],
      ['a formula with a plus', { last_name: '+1+1' }],
      ['a formula with an at', { last_name: '@SUM(A1)' }],
      ['a formula in an address', { address: { line1: '=1+1' } }],
      ['markup', { first_name: 'Anna<script>' }],
      ['an endless name', { first_name: 'A'.repeat(101) }],
      ['a name of many words', { first_name: 'A '.repeat(20).trim() }],
      ['a name of nothing', { first_name: '   ' }],
      ['a name of spaces that are none', { first_name: '\u200B\u200B' }],
      ['text that runs backwards', { last_name: 'Eriks\u202Eson' }],
      ['letters under a heap of marks', { last_name: `E${'\u0301'.repeat(20)}riksson` }],
      ['emoji', { first_name: 'Anna🎉' }],
      ['a line break', { first_name: 'Anna\nMaria' }],
      ['digits', { last_name: 'Er1ksson' }],
      ['no such day', { date_of_birth: '1974-02-30' }],
      ['a time', { date_of_birth: '1974-08-12T00:00:00Z' }],
      ['a day of long ago', { date_of_birth: '1874-08-12' }],
      ['no such country', { nationality: 'XQ' }],
      ['a country in small letters', { nationality: 'pt' }],
      ['a country by name of what every object has', { nationality: 'constructor' }],
      ['a number with a path', { document: { number: '../../etc' } }],
      ['four lines', { document: { mrz: ['A', 'B', 'C', 'D'] } }],
      ['lines that are no list', { document: { mrz: 'P<UTO' } }],
      ['lines of another alphabet', { document: { mrz: ['Р<РТ', 'Х'] } }],
      ['an endless line', { document: { mrz: ['<'.repeat(61)] } }],
    ])('refuses %s', async (_what, overrides: Json) => {
      const body = kycBody();
      const { address, document, ...person } = overrides;
      const sent = {
        ...body,
        ...person,
        ...(address && { address: { ...body.address, ...address } }),
        ...(document && { document: { ...body.document, ...document } }),
      };
      const error = await refused(demo.post('/kyc', sent), 400, 'validation_failed');
      expect(error.details.length).toBeGreaterThan(0);
    });

    it('refuses what has no form at all', async () => {
      for (const body of [{}, [], { ...kycBody(), address: null }, { ...kycBody(), document: 'passport' }]) {
        expect((await demo.post('/kyc', body)).status).toBe(400);
      }
      await refused(
        demo.post('/kyc', { ...kycBody(), first_name: 'A'.repeat(200_000) }),
        413,
        'payload_too_large',
      );
    });

    it('lets nobody decide on oneself', async () => {
      const admin = await loggedIn(desk.app.url, 'admin');
      const { kyc_id } = await submitKyc(admin);
      await refused(admin.post(`/admin/kyc/${kyc_id}/decision`, APPROVAL), 403, 'forbidden');
      await refused(admin.post(`/admin/kyc/${kyc_id}/decision`, REJECTION), 403, 'forbidden');
      expect((await admin.get(`/admin/kyc/${kyc_id}`)).body.status).toBe('in_review');
      expect((await operator.post(`/admin/kyc/${kyc_id}/decision`, APPROVAL)).status).toBe(200);
    });

    it('refuses decisions that say too little, too much, or who it is', async () => {
      await reset();
      const body = kycBody();
      const { kyc_id } = (await demo.post('/kyc', body)).body;
      const path = `/admin/kyc/${kyc_id}/decision`;
      for (const decision of [
        { decision: 'approved' },
        { ...APPROVAL, reason: '' },
        { ...APPROVAL, reason: '  ' },
        { ...APPROVAL, reason: 'x'.repeat(501) },
        { ...APPROVAL, reason: 'back\u202Ewards' },
        { ...APPROVAL, decision: 'maybe' },
        { ...APPROVAL, level: 0 },
        { ...APPROVAL, level: 10 },
        { ...APPROVAL, level: '1' },
        { ...APPROVAL, status: 'approved' },
        { ...REJECTION, level: 1 },
        { ...APPROVAL, reason: 'Ms ERIKSSON is known to us.' },
        { ...APPROVAL, reason: `Passport ${body.document.number} was seen.` },
        { ...APPROVAL, reason: 'Born on 1974-08-12.' },
      ]) {
        await refused(operator.post(path, decision), 400, 'validation_failed');
      }
      await refused(operator.post('/admin/kyc/kyc_7ZZZZZZZZZZ/decision', APPROVAL), 404, 'not_found');
      await refused(operator.get('/admin/kyc?status=open'), 400, 'validation_failed');
      await refused(operator.get('/admin/kyc?cursor=x'), 400, 'invalid_cursor');
    });

    it('stops who submits without end', async () => {
      const alice = await loggedIn(desk.app.url, 'alice');
      for (let i = 0; i < 10; i++) await submitKyc(alice);
      await refused(alice.post('/kyc', kycBody()), 429, 'rate_limited');
    });
  });

  describe('at the same time', () => {
    it('keeps one case open of many that are submitted', async () => {
      await reset();
      const replies = await Promise.all(Array.from({ length: 8 }, () => demo.post('/kyc', kycBody())));
      expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(202));
      const open = (await demo.walk('/kyc', 50)).filter(({ status }) => status === 'in_review');
      expect(open).toHaveLength(1);
    });

    it('makes one case of many requests with one key', async () => {
      await reset();
      const body = kycBody();
      const before = (await demo.walk('/kyc', 50)).length;
      const send = (): Promise<Reply> => demo.post('/kyc', body, { 'Idempotency-Key': 'once-only' });
      const replies = await Promise.all([send(), send(), send(), send()]);
      const taken = replies.filter(({ status }) => status === 202);
      expect(replies.filter(({ status }) => status !== 202).map((r) => r.body.error.code)).toEqual(
        Array(4 - taken.length).fill('idempotency_in_progress'),
      );
      expect((await send()).body).toEqual(taken[0]!.body);
      expect((await demo.walk('/kyc', 50)).length).toBe(before + 1);
    });

    it('is decided once by two operators', async () => {
      await reset();
      const { kyc_id } = await submitKyc(demo);
      const decide = (decision: object): Promise<Reply> =>
        operator.post(`/admin/kyc/${kyc_id}/decision`, decision);
      const replies = await Promise.all([decide(APPROVAL), decide(APPROVAL), decide(APPROVAL)]);
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
      expect((await codesOf(demo, kyc_id)).filter((step) => step.startsWith('approved'))).toHaveLength(1);
    });
  });

  describe('images', () => {
    it('are kept encrypted, and shown to operators only, on record', async () => {
      await reset();
      const { kyc_id } = await submitKyc(demo);
      const picture = await png();
      const { status, body } = await upload(demo, kyc_id, picture, 'back');
      expect(status, JSON.stringify(body)).toBe(201);
      expect(body).toMatchObject({
        image_id: expect.stringMatching(/^kim_/),
        side: 'back',
        media_type: 'image/png',
      });
      const folder = join(desk.app.config.dataDir, 'files/kyc');
      const files = await readdir(folder);
      for (const file of files) {
        const stored = await readFile(join(folder, file));
        expect(stored.includes('PNG')).toBe(false);
        expect(stored.includes('IHDR')).toBe(false);
      }
      const path = `/admin/kyc/${kyc_id}/images/${body.image_id}`;
      const seen = await fetch(desk.app.url + path, { headers: await bearer('admin') });
      expect(seen.status).toBe(200);
      expect(seen.headers.get('cache-control')).toBe('no-store');
      expect(seen.headers.get('content-type')).toBe('image/png');
      expect((await sharp(Buffer.from(await seen.arrayBuffer())).metadata()).width).toBe(24);
      await refused(demo.get(path), 403, 'insufficient_scope');
      const other = await submitKyc(desk.maker);
      await refused(operator.get(`/admin/kyc/${other.kyc_id}/images/${body.image_id}`), 404, 'not_found');
      const views = await desk.query(
        'SELECT viewed_by, image_id FROM kyc_views ORDER BY view_id DESC LIMIT 1',
      );
      expect(views[0].image_id).not.toBeNull();
      expect(views[0].viewed_by).toBe('client:admin');
    });

    it('are refused where they are none, too many, or too late', async () => {
      await reset();
      const { kyc_id } = await submitKyc(demo);
      await refused(upload(demo, kyc_id, Buffer.from('<svg/>')), 400, 'validation_failed');
      await refused(upload(demo, kyc_id, await png(), 'inside'), 400, 'validation_failed');
      await refused(upload(demo, kyc_id, Buffer.alloc(11 * 1024 * 1024)), 413, 'payload_too_large');
      const picture = await png();
      const replies = [];
      for (let i = 0; i < 11; i++) replies.push(await upload(demo, kyc_id, picture));
      expect(replies.map(({ status }) => status)).toEqual([...Array(10).fill(201), 409]);
      await operator.post(`/admin/kyc/${kyc_id}/decision`, REJECTION);
      await refused(upload(demo, kyc_id, picture), 409, 'conflict');
    });
  });

  describe('personal data', () => {
    const person = {
      first_name: 'Zdzisława',
      last_name: 'Quetzalcoatlsson',
      address: { line1: 'Xylophonweg 77', city: 'Wolkenkuckucksheim' },
      zone: { names: 'QUETZALCOATLSSON<<ZDZISLAWA' },
    };
    const words = [
      'Zdzis',
      'Quetzalcoatl',
      'QUETZALCOATL',
      'Xylophonweg',
      'Wolkenkuckucksheim',
      '1974-08-12',
    ];

    it('is in no log, no column and no answer, unless an operator asks for it, on record', async () => {
      await reset();
      const output = recordStandardOutput();
      const kycId = await approvedKyc(demo, operator, person);
      await demo.post('/kyc', { ...kycBody(person), first_name: 'Zdzisława=' });
      await operator.post(`/admin/kyc/${kycId}/decision`, { ...REJECTION, reason: 'Quetzalcoatlsson' });
      await desk.upkeep();
      output.stop();
      const answers = JSON.stringify([
        (await demo.get(`/kyc/${kycId}`)).body,
        (await demo.get('/kyc')).body,
        (await demo.get(`/kyc/${kycId}/history`)).body,
        (await operator.get('/admin/kyc')).body,
        (await operator.get(`/admin/kyc/${kycId}`)).body,
      ]);
      const rows = JSON.stringify(await everyRow(desk));
      for (const word of words) {
        expect(output.text()).not.toContain(word);
        expect(answers).not.toContain(word);
        expect(rows).not.toContain(word);
        expect(rows).not.toContain(Buffer.from(word).toString('hex'));
      }
      const before = (await operator.get(`/admin/kyc/${kycId}`)).body.views;
      const { body } = await operator.get(`/admin/kyc/${kycId}?reveal=true`);
      expect(body.revealed).toMatchObject({
        first_name: 'Zdzisława',
        last_name: 'Quetzalcoatlsson',
        date_of_birth: '1974-08-12',
        address: { line1: 'Xylophonweg 77', line2: null },
      });
      expect(body.views).toBe(before + 1);
    });

    it('is erased with its images, and what law needs stays', async () => {
      await reset();
      const { kyc_id } = await submitKyc(demo, person);
      const { body: image } = await upload(demo, kyc_id, await png());
      await operator.post(`/admin/kyc/${kyc_id}/decision`, APPROVAL);
      const [{ file_name }] = await desk.query(
        'SELECT file_name FROM kyc_images ORDER BY image_id DESC LIMIT 1',
      );
      const erasure = new KycErasure(
        desk.app.app.nest.get(DataSource),
        desk.app.app.nest.get(FileStore),
        'command:test',
      );
      expect(await erasure.eraseOlderThan(0)).toMatchObject({ cases: expect.any(Number) });
      expect((await demo.get(`/kyc/${kyc_id}`)).body).toMatchObject({ status: 'approved' });

      const { cases, images } = await erasure.eraseOwner('client:demo');
      expect(cases).toBeGreaterThan(0);
      expect(images).toBeGreaterThan(0);
      expect(await erasure.eraseOwner('client:demo')).toEqual({ cases: 0, images: 0 });
      expect(await desk.app.app.nest.get(FileStore).open(file_name)).toBeUndefined();
      const kyc = (await demo.get(`/kyc/${kyc_id}`)).body;
      expect(kyc).toMatchObject({ status: 'expired', level: 0, person: null });
      expect(await codesOf(demo, kyc_id)).toEqual([
        'pending: submitted',
        'in_review: review_needed',
        'approved: operator_decision',
        'expired: erased',
      ]);
      const { body } = await operator.get(`/admin/kyc/${kyc_id}?reveal=true`);
      expect(body).toMatchObject({ revealed: null, images: [] });
      expect(body.checks.length).toBeGreaterThan(5);
      await refused(operator.get(`/admin/kyc/${kyc_id}/images/${image.image_id}`), 404, 'not_found');
      const [row] = await desk.query(
        `SELECT sealed_data, length(document_fingerprint) AS hash FROM kyc_cases WHERE owner = 'client:demo' LIMIT 1`,
      );
      expect(row).toEqual({ sealed_data: null, hash: 32 });
      const keys = await desk.query(
        `SELECT FROM vault_data_keys JOIN kyc_cases ON context = 'kyc_cases.sealed_data:' || kyc_id
         WHERE owner = 'client:demo'`,
      );
      expect(keys).toEqual([]);
      await desk.upkeep();
      expect(new Set(await desk.levels('client:demo'))).toEqual(new Set([0]));
    });
  });

  async function bearer(client: string): Promise<{ authorization: string }> {
    const response = await fetch(`${desk.app.url}/auth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: client,
        client_secret: `${client}-secret`,
      }),
    });
    const { access_token } = (await response.json()) as { access_token: string };
    return { authorization: `Bearer ${access_token}` };
  }
});

/** All rows of the KYC tables and of the stored answers, as text. */
async function everyRow(desk: Desk): Promise<Json[]> {
  const tables = ['kyc_cases', 'kyc_persons', 'kyc_states', 'kyc_images', 'kyc_views', 'idempotency_keys'];
  return Promise.all(tables.map((table) => desk.query(`SELECT row_to_json(t) FROM ${table} t`)));
}

describe('KYC with a sanctions list', () => {
  const SDN = [
    '36,"AEROCARIBBEAN AIRLINES",-0- ,"CUBA",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ',
    '7157,"EL-MALEFICENT, Usāma Muhammad","individual","SDGT",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,"DOB 10 Mar 1957."',
    '7158,"КОЗЛОВ, Пётр Ильич","individual","RUSSIA-EO14024",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ',
    '9001,"ERIKSSON TANKER","vessel","IRAN",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ',
    '\u001a',
  ].join('\r\n');
  const ALT = '7157,1,"aka","AL MALIFISENT, Osama",-0- \r\n9001,2,"aka","ERIKSSON, Anna Maria",-0- \r\n';

  let folder: string;
  let desk: Desk;
  let demo: Caller;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tradepost-sdn-'));
    const sanctionsFile = join(folder, 'sdn.csv');
    const sanctionsAltFile = join(folder, 'alt.csv');
    await writeFile(sanctionsFile, SDN);
    await writeFile(sanctionsAltFile, ALT);
    const lists = { SANCTIONS_FILE: sanctionsFile, SANCTIONS_ALT_FILE: sanctionsAltFile };
    desk = await openDesk({ environment: { KYC_AUTO_APPROVE: 'true', ...lists } });
    ({ demo } = desk);
  });
  afterAll(async () => {
    await desk.app.close();
    await rm(folder, { recursive: true });
  });

  const sanctionsCheck = async (kycId: string): Promise<Json> =>
    (await desk.operator.get(`/admin/kyc/${kycId}`)).body.checks.find(
      ({ check }: Json) => check === 'sanctions',
    );

  it('says what the list has', async () => {
    expect((await desk.operator.get('/admin/sanctions-list')).body).toEqual({
      people: 2,
      names: 3,
      loaded_at: expect.stringMatching(/Z$/),
      version: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    await refused(demo.get('/admin/sanctions-list'), 403, 'insufficient_scope');
  });

  it('approves by itself who passes all checks, where the operator has set so', async () => {
    const kyc = await submitKyc(demo);
    expect(kyc).toMatchObject({ status: 'approved', level: 1 });
    expect(await codesOf(demo, kyc.kyc_id)).toEqual(['pending: submitted', 'approved: checks_passed']);
    expect(new Set(await desk.levels('client:demo'))).toEqual(new Set([1]));
  });

  it.each([
    ['Usama Muhammad', 'El-Maleficent', 'ELMALEFICENT<<USAMA<MUHAMMAD', '7157'],
    ['Osama', 'Elmaleficent', 'ELMALEFICENT<<OSAMA', '7157'],
    ['Usama', 'Al Malifisent', 'AL<MALIFISENT<<USAMA', '7157'],
    ['El Maleficent', 'Usamah', 'USAMAH<<EL<MALEFICENT', '7157'],
    ['Petr', 'Kozlov', 'KOZLOV<<PETR', '7158'],
    ['Пётр Ильич', 'Козлов', 'KOZLOV<<PETR<ILICH', '7158'],
  ])('finds %s %s on it, and lets nobody be approved unseen', async (first_name, last_name, names, uid) => {
    await desk.query("UPDATE kyc_cases SET created_at = now() - interval '2 days'");
    const kyc = await submitKyc(demo, { first_name, last_name, zone: { names } });
    expect(kyc).toMatchObject({ status: 'in_review', level: 0, requirements: [], reasons: [] });
    const check = await sanctionsCheck(kyc.kyc_id);
    expect(check.outcome).toBe('review');
    expect(check.matches[0]).toMatchObject({ uid, name: expect.any(String), program: expect.any(String) });
    expect(check.score).toBeGreaterThanOrEqual(88);
  });

  it('checks the approved again when the list changes', async () => {
    await desk.query("UPDATE kyc_cases SET created_at = now() - interval '2 days'");
    const kyc = await submitKyc(demo, {
      first_name: 'Maria',
      last_name: 'Newlylisted',
      zone: { names: 'NEWLYLISTED<<MARIA' },
    });
    expect(kyc.status).toBe('approved');
    await writeFile(
      join(folder, 'sdn.csv'),
      `${SDN}\r\n8000,"NEWLYLISTED, Maria","individual","SDGT",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- `,
    );
    await desk.upkeep();
    expect((await demo.get(`/kyc/${kyc.kyc_id}`)).body).toMatchObject({ status: 'in_review', level: 0 });
    expect(new Set(await desk.levels('client:demo'))).toEqual(new Set([0]));
    // Once an operator has seen that entry, it changes nothing any more.
    await desk.operator.post(`/admin/kyc/${kyc.kyc_id}/decision`, APPROVAL);
    await desk.query('UPDATE kyc_cases SET sanctions_version = NULL');
    await desk.upkeep();
    expect((await demo.get(`/kyc/${kyc.kyc_id}`)).body).toMatchObject({ status: 'approved', level: 1 });
  });

  it('keeps the list that it has where the file cannot be read', async () => {
    const before = (await desk.operator.get('/admin/sanctions-list')).body;
    await writeFile(join(folder, 'sdn.csv'), 'nobody is on this list\r\n');
    await refused(desk.operator.post('/admin/sanctions-list/reload', {}), 409, 'conflict');
    await desk.upkeep();
    expect((await desk.operator.get('/admin/sanctions-list')).body).toEqual(before);
    await writeFile(join(folder, 'sdn.csv'), SDN);
    const reloaded = await desk.operator.post('/admin/sanctions-list/reload', {});
    expect(reloaded).toMatchObject({ status: 200, body: { people: 2 } });
  });

  it('does not start with a list that cannot be used', async () => {
    for (const [name, content] of [
      ['empty.csv', ''],
      ['other.csv', 'a,b\n1,2\n'],
    ] as const) {
      await writeFile(join(folder, name), content);
      const sanctionsFile = join(folder, name);
      await expect(startTestApp({ environment: { SANCTIONS_FILE: sanctionsFile } })).rejects.toMatchObject({
        setting: 'SANCTIONS_FILE',
      });
    }
  });
});

const SECRET = `whsec_${Buffer.from('a secret of the provider').toString('base64')}`;
const OLD_SECRET = `whsec_${Buffer.from('the secret before that one').toString('base64')}`;

/** Makes no calls: the person's name determines the answer. */
@Injectable()
class AcmeIdentity extends KycProvider {
  override readonly name = 'acme';
  asked = 0;
  failures = 0;

  override async examine(kycId: string): Promise<KycExamination> {
    this.asked++;
    if (this.failures-- > 0) throw new Error('no connection');
    return { verdict: 'later', reference: `acme-${kycId}` };
  }

  override callbackSecrets(): readonly string[] {
    return [SECRET, OLD_SECRET];
  }

  override readCallback(payload: unknown): KycCallback | undefined {
    const { reference, verdict } = payload as { reference?: string; verdict?: 'clear' | 'review' | 'reject' };
    if (reference === undefined || verdict === undefined) return undefined;
    return {
      reference,
      opinion:
        verdict === 'reject' ? { verdict, code: 'fake', message: 'Send a real document.' } : { verdict },
    };
  }
}

@TradepostPlugin({ name: 'acme-identity', compatibility: '>=0.0.0', implementations: [AcmeIdentity] })
class AcmePlugin {}

describe('KYC with an outside provider', () => {
  let desk: Desk;
  let demo: Caller;
  let messages = 0;
  beforeAll(async () => {
    desk = await openDesk({ plugins: [AcmePlugin] });
    ({ demo } = desk);
  });
  afterAll(() => desk.app.close());

  const send = (
    payload: string,
    {
      id = `msg_${++messages}`,
      at = new Date(),
      secret = SECRET,
      headers = {},
      provider = 'acme',
    }: { id?: string; at?: Date; secret?: string; headers?: Record<string, string>; provider?: string } = {},
  ): Promise<Reply> =>
    new Caller(desk.app.url).send('POST', `/kyc-callbacks/${provider}`, payload, {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, at, payload),
      ...headers,
    });
  const say = (kycId: string, verdict: string): string =>
    JSON.stringify({ reference: `acme-${kycId}`, verdict });
  const pending = async (): Promise<string> => {
    await desk.query("UPDATE kyc_cases SET created_at = now() - interval '2 days'");
    const kyc = await submitKyc(demo);
    expect(kyc.status).toBe('pending');
    const isAsked = async (): Promise<boolean> =>
      (await desk.operator.get(`/admin/kyc/${kyc.kyc_id}`)).body.provider_reference !== null;
    await eventually(isAsked, 'the provider is asked');
    return kyc.kyc_id;
  };

  it('waits for the provider, and then for an operator', async () => {
    const kycId = await pending();
    expect(await send(say(kycId, 'clear'))).toMatchObject({ status: 200, body: { received: true } });
    expect((await demo.get(`/kyc/${kycId}`)).body.status).toBe('in_review');
    expect(await codesOf(demo, kycId)).toEqual(['pending: submitted', 'in_review: review_needed']);
    const { body } = await demo.get(`/kyc/${kycId}/history`);
    expect(body.data[1].changed_by).toBe('provider');
  });

  it('takes the secret before the newest one as well', async () => {
    const kycId = await pending();
    expect((await send(say(kycId, 'review'), { secret: OLD_SECRET })).status).toBe(200);
  });

  it('rejects whom the provider rejects, and tells why', async () => {
    const kycId = await pending();
    await send(say(kycId, 'reject'));
    expect((await demo.get(`/kyc/${kycId}`)).body).toMatchObject({
      status: 'rejected',
      reasons: [{ code: 'fake', message: 'Send a real document.' }],
    });
    // Callbacks after the decision change nothing.
    expect((await send(say(kycId, 'clear'))).status).toBe(200);
    expect((await demo.get(`/kyc/${kycId}`)).body.status).toBe('rejected');
  });

  it('asks again after a failure', async () => {
    const provider = desk.app.app.nest.get(AcmeIdentity, { strict: false });
    await desk.query("UPDATE kyc_cases SET created_at = now() - interval '2 days'");
    provider.failures = 1;
    const before = provider.asked;
    const kyc = await submitKyc(demo);
    await eventually(() => provider.asked === before + 1, 'the provider is asked');
    await desk.upkeep();
    expect(provider.asked).toBe(before + 1);
    await desk.query(
      "UPDATE kyc_cases SET provider_asked_at = now() - interval '61 seconds' WHERE status = 'pending'",
    );
    await desk.upkeep();
    expect((await desk.operator.get(`/admin/kyc/${kyc.kyc_id}`)).body.provider_reference).not.toBeNull();
  });

  it('takes no message twice, also not at once', async () => {
    const kycId = await pending();
    const id = 'msg_twice';
    const replies = await Promise.all([1, 2, 3].map(() => send(say(kycId, 'clear'), { id })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    await refused(send(say(kycId, 'reject'), { id }), 409, 'conflict');
    expect((await demo.get(`/kyc/${kycId}`)).body.status).toBe('in_review');
  });

  it('believes nothing that is not signed, or not now', async () => {
    const kycId = await pending();
    const payload = say(kycId, 'clear');
    const forged = `whsec_${Buffer.from('a secret of somebody else').toString('base64')}`;
    const at = new Date();
    const minutes = (count: number): Date => new Date(at.getTime() + count * 60_000);
    const attempts: readonly Parameters<typeof send>[1][] = [
      { secret: forged },
      { at: minutes(-6) },
      { at: minutes(6) },
      { headers: { 'webhook-signature': '' } },
      { headers: { 'webhook-signature': 'v1,' } },
      { headers: { 'webhook-signature': 'v1' } },
      { headers: { 'webhook-signature': `v2,${new Webhook(SECRET).sign('msg_x', at, payload).slice(3)}` } },
      { headers: { 'webhook-id': 'msg_other' } },
      { headers: { 'webhook-timestamp': String(Math.floor(at.getTime() / 1000) - 1) } },
      { headers: { 'webhook-timestamp': 'now' } },
      { id: 'with.dots' },
    ];
    for (const attempt of attempts) await refused(send(payload, attempt), 401, 'invalid_credentials');
    const signature = new Webhook(SECRET).sign('msg_y', at, payload);
    await refused(
      send(payload.replace('clear', 'clear '), { id: 'msg_y', headers: { 'webhook-signature': signature } }),
      401,
      'invalid_credentials',
    );
    expect((await demo.get(`/kyc/${kycId}`)).body.status).toBe('pending');
  });

  it('refuses what is signed and makes no sense', async () => {
    const kycId = await pending();
    await refused(send('{}'), 400, 'validation_failed');
    await refused(send('nonsense'), 400, 'malformed_request');
    await refused(send(''), 400, 'malformed_request');
    await refused(send(`{"a":"${'x'.repeat(101 * 1024)}"}`), 413, 'payload_too_large');
    await refused(send('x'.repeat(8 * 1024 * 1024)), 413, 'payload_too_large');
    await refused(send(JSON.stringify({ reference: 'acme-none', verdict: 'clear' })), 404, 'not_found');
    await refused(send(say(kycId, 'clear'), { provider: 'other' }), 404, 'not_found');
    await refused(send(say(kycId, 'clear'), { provider: 'built-in' }), 404, 'not_found');
  });

  it('lets operators decide without it', async () => {
    const kycId = await pending();
    const reply = await desk.operator.post(`/admin/kyc/${kycId}/decision`, APPROVAL);
    expect(reply).toMatchObject({ status: 200, body: { status: 'approved' } });
  });

  it('hands its cases to operators once it is gone', async () => {
    const kycId = await pending();
    await desk.query("UPDATE kyc_cases SET provider = 'gone' WHERE status = 'pending'");
    await desk.upkeep();
    expect((await demo.get(`/kyc/${kycId}`)).body.status).toBe('in_review');
  });
});

it('makes lines for tests as ICAO makes them', () => {
  const [, second] = passportLines({
    number: 'L898902C3',
    issuer: 'UTO',
    nationality: 'UTO',
    birthDate: '740812',
    expiryDate: '120415',
    names: 'ERIKSSON<<ANNA<MARIA',
  });
  expect(second?.slice(0, 28)).toBe('L898902C36UTO7408122F1204159');
});
