import { CONFLICT } from '../../../src/kit/http/error-codes.js';
import { createHmac, randomUUID } from 'node:crypto';
import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { IsInstance, IsOptional, IsString } from 'class-validator';
import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  AnswerTransaction,
  ApiError,
  Authenticated,
  FormBody,
  UploadBody,
  Idempotent,
  Public,
  fingerprintOf,
  TradepostPlugin,
} from '../../../src/index.js';
import { IdempotencyKeys } from '../../../src/kit/http/idempotency/idempotency-keys.js';
import { Purges } from '../../../src/kit/jobs/purges.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { queryOnce } from '../../support/core.js';
import { Caller, callerFor, type Reply } from '../../support/caller.js';

class CreateProbes1790000000100 implements MigrationInterface {
  name = 'CreateProbes1790000000100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE probes (id serial PRIMARY KEY, text text NOT NULL)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE probes');
  }
}

class ProbeDto {
  @IsString()
  text: string;

  @IsOptional()
  @IsString()
  note?: string;
}

class FileDto {
  @IsInstance(Buffer)
  file: Buffer;
}

/** Side effects of the handlers, set by a test. */
let whileHandling: () => unknown;
let handled: number;

@Controller('probes')
@Authenticated()
class ProbesController {
  constructor(private readonly transaction: AnswerTransaction) {}

  /** Does all its work in the transaction that stores its answer. */
  @Post()
  @Idempotent()
  create(@Body() { text }: ProbeDto): Promise<object> {
    handled++;
    return this.transaction.run(async (manager) => {
      const rows = await manager.query<object[]>('INSERT INTO probes (text) VALUES ($1) RETURNING id, text', [
        text,
      ]);
      await whileHandling();
      return rows[0]!;
    });
  }

  @Post('plain/:kind')
  @HttpCode(202)
  @Idempotent()
  async plain(@Param('kind') kind: string, @Body() { text }: ProbeDto): Promise<unknown> {
    handled++;
    const extra = await whileHandling();
    return kind === 'empty' ? undefined : { handled, text, extra };
  }

  @Post('form')
  @FormBody()
  @Idempotent()
  form(@Body() { text }: ProbeDto): object {
    handled++;
    return { handled, text };
  }

  @Post('upload')
  @UploadBody()
  @Idempotent()
  upload(@Body() { file }: FileDto): object {
    handled++;
    return { handled, bytes: file.length };
  }

  @Post('open')
  @Public()
  @Idempotent()
  open(@Body() { text }: ProbeDto): object {
    handled++;
    return { handled, text };
  }
}

@TradepostPlugin({
  name: 'probes',
  compatibility: '>=0.1.0',
  controllers: [ProbesController],
  migrations: [CreateProbes1790000000100],
})
class ProbesPlugin {}

/** Only a digest of a key is stored. */
const IS_OF_KEY = `key_hash = encode(sha256(convert_to($1, 'UTF8')), 'hex')`;

describe('an @Idempotent() route', () => {
  let service: TestApp;
  let demo: Caller;
  let maker: Caller;
  beforeAll(async () => {
    service = await startTestApp({ plugins: [ProbesPlugin] });
    [demo, maker] = await Promise.all([callerFor(service.url, 'demo'), callerFor(service.url, 'maker')]);
  });
  afterAll(() => service.close());

  let key: string;
  beforeEach(() => {
    key = randomUUID();
    handled = 0;
    whileHandling = () => undefined;
  });

  const post = (path: string, body: unknown, caller = demo, header = key): Promise<Reply> =>
    caller.post(path, body, { 'idempotency-key': header });
  const query = <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
    queryOnce<Row>(service.config.databaseUrl!, text, values);
  const rowsOf = async (text: string): Promise<number> =>
    (await query('SELECT 1 FROM probes WHERE text = $1', [text])).length;

  /** Makes a handler wait until the test opens the gate. */
  const gate = (): { entered: Promise<void>; open: () => void } => {
    let open!: () => void;
    let enter!: () => void;
    const entered = new Promise<void>((resolve) => (enter = resolve));
    const opened = new Promise<void>((resolve) => (open = resolve));
    whileHandling = () => {
      enter();
      return opened;
    };
    return { entered, open };
  };

  it('gives the first answer and status again, to the letter, and says so', async () => {
    const first = await post('/probes/plain/x', { text: 'é "\\" \u2028 1' });
    expect(first).toMatchObject({ status: 202, body: { handled: 1 } });
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    for (const header of [key, ` ${key} `, `"${key}"`]) {
      const repeat = await post('/probes/plain/x', { text: 'é "\\" \u2028 1' }, demo, header);
      expect(repeat).toMatchObject({ status: 202, body: first.body });
      expect(JSON.stringify(repeat.body)).toBe(JSON.stringify(first.body));
      expect(repeat.headers.get('idempotent-replayed')).toBe('true');
      expect(repeat.headers.get('content-type')).toBe(first.headers.get('content-type'));
    }
    expect(handled).toBe(1);
  });

  it('does without a key, each time anew', async () => {
    expect((await demo.post('/probes', { text: 'free' })).status).toBe(201);
    expect((await demo.post('/probes', { text: 'free' })).status).toBe(201);
    expect(await rowsOf('free')).toBe(2);
  });

  it('repeats an answer without a body', async () => {
    for (const replayed of [null, 'true']) {
      const { status, headers, body } = await post('/probes/plain/empty', { text: 'x' });
      expect({ status, body }).toEqual({ status: 202, body: undefined });
      expect(headers.get('idempotent-replayed')).toBe(replayed);
    }
    expect(handled).toBe(1);
  });

  it('takes equal bodies for equal, whatever the order of their fields', async () => {
    const first = await post('/probes/plain/x', { text: 'a', note: 'b' });
    expect((await post('/probes/plain/x', { note: 'b', text: 'a' })).body).toEqual(first.body);
    expect(handled).toBe(1);
  });

  it.each([
    ['another body', '/probes/plain/x', { text: 'b' }],
    ['another address of the route', '/probes/plain/y', { text: 'a' }],
    ['another query', '/probes/plain/x?really=yes', { text: 'a' }],
    ['another route', '/probes', { text: 'a' }],
    ['a body that would be refused', '/probes/plain/x', { text: 7 }],
  ])('refuses the key with %s', async (_what, path, body) => {
    await post('/probes/plain/x', { text: 'a' });
    expect(await post(path, body)).toMatchObject({
      status: 422,
      body: { error: { code: 'idempotency_key_reused' } },
    });
    expect(handled).toBe(1);
  });

  it('keeps keys apart by principal', async () => {
    await post('/probes/plain/x', { text: 'a' });
    const other = await post('/probes/plain/x', { text: 'b' }, maker);
    expect(other).toMatchObject({ status: 202, body: { handled: 2, text: 'b' } });
    expect(other.headers.get('idempotent-replayed')).toBeNull();
  });

  it('takes forms as well, and knows no key of nobody', async () => {
    const form = (): Promise<Reply> =>
      demo.send('POST', '/probes/form', 'text=a', {
        'content-type': 'application/x-www-form-urlencoded',
        'idempotency-key': key,
      });
    expect((await form()).body).toEqual((await form()).body);
    const nobody = new Caller(service.url);
    expect((await post('/probes/open', { text: 'a' }, nobody)).body).toMatchObject({ handled: 2 });
    expect((await post('/probes/open', { text: 'b' }, nobody)).body).toMatchObject({ handled: 3 });
  });

  it('tells files apart by what is in them', async () => {
    const upload = (fill: number): Promise<Reply> =>
      demo.send('POST', '/probes/upload', new Uint8Array(3_000_000).fill(fill), {
        'content-type': 'application/octet-stream',
        'idempotency-key': key,
      });
    expect((await upload(1)).body).toEqual({ handled: 1, bytes: 3_000_000 });
    expect((await upload(1)).body).toEqual({ handled: 1, bytes: 3_000_000 });
    expect((await upload(2)).status).toBe(422);
  });

  it.each(['', '""', '"open', 'é', 'x'.repeat(256)])('refuses the malformed key %j', async (header) => {
    // Header values are bytes; `fetch` accepts Latin-1.
    expect(await post('/probes', { text: 'malformed' }, demo, header)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_idempotency_key' } },
    });
    expect(await rowsOf('malformed')).toBe(0);
  });

  it('keeps no refusal and no failure', async () => {
    expect((await post('/probes', { text: 7 })).status).toBe(400);
    whileHandling = () => {
      throw new ApiError(CONFLICT, 'Not now.');
    };
    expect((await post('/probes', { text: key })).status).toBe(409);
    whileHandling = () => {
      throw new Error('broken');
    };
    expect((await post('/probes', { text: key })).status).toBe(500);
    expect((await post('/probes/plain/x', { text: key })).status).toBe(500);
    whileHandling = () => undefined;
    const success = await post('/probes', { text: key });
    expect(success).toMatchObject({ status: 201, body: { text: key } });
    expect(success.headers.get('idempotent-replayed')).toBeNull();
    expect(await rowsOf(key)).toBe(1);
  });

  it('answers 409 while the first is running, and its answer afterwards', async () => {
    const { entered, open } = gate();
    const first = post('/probes/plain/x', { text: 'a' });
    await entered;
    const early = await post('/probes/plain/x', { text: 'a' });
    expect(early).toMatchObject({ status: 409, body: { error: { code: 'idempotency_in_progress' } } });
    expect(early.headers.get('retry-after')).toBe('1');
    expect(await post('/probes/plain/x', { text: 'b' })).toMatchObject({ status: 422 });
    open();
    const { body } = await first;
    const late = await post('/probes/plain/x', { text: 'a' });
    expect(late).toMatchObject({ status: 202, body });
    expect(handled).toBe(1);
  });

  it('is carried out once, however many send it at once', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => post('/probes', { text: key })));
    expect(await rowsOf(key)).toBe(1);
    const done = replies.filter(({ status }) => status === 201);
    expect(done.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect(new Set(done.map(({ body }) => body.id as number)).size).toBe(1);
    const others = replies.filter(({ status }) => status !== 201);
    for (const { body } of others) expect(body.error.code).toBe('idempotency_in_progress');
  });

  it('survives a process that died before it answered, once its lease is over', async () => {
    await post('/probes', { text: key });
    await query(
      `UPDATE idempotency_keys SET state = 'running', status = NULL, body = NULL WHERE ${IS_OF_KEY}`,
      [key],
    );
    expect((await post('/probes', { text: key })).status).toBe(409);
    await query(`UPDATE idempotency_keys SET leased_until = now() WHERE ${IS_OF_KEY}`, [key]);
    expect((await post('/probes', { text: 'other' })).body.error.code).toBe('idempotency_key_reused');
    const again = await post('/probes', { text: key });
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotent-replayed')).toBeNull();
    expect((await post('/probes', { text: key })).headers.get('idempotent-replayed')).toBe('true');
  });

  it('keeps its lease while it runs, however long', async () => {
    const { entered, open } = gate();
    const slow = post('/probes', { text: key });
    await entered;
    const leasedUntil = async (): Promise<number> => {
      const [row] = await query<{ ms: string }>(
        `SELECT extract(epoch FROM leased_until) * 1000 AS ms FROM idempotency_keys WHERE ${IS_OF_KEY}`,
        [key],
      );
      return Number(row!.ms);
    };
    const atFirst = await leasedUntil();
    await vi.waitFor(async () => expect(await leasedUntil()).toBeGreaterThan(atFirst), { timeout: 30_000 });
    open();
    expect((await slow).status).toBe(201);
    expect((await post('/probes', { text: key })).headers.get('idempotent-replayed')).toBe('true');
    expect(await rowsOf(key)).toBe(1);
  });

  it('undoes a transaction whose place a repeat has taken', async () => {
    const renewal = vi
      .spyOn(service.app.nest.get(IdempotencyKeys), 'renewLeases')
      .mockResolvedValue(undefined);
    onTestFinished(() => renewal.mockRestore());
    const { entered, open } = gate();
    const slow = post('/probes', { text: key });
    await entered;
    await query(`UPDATE idempotency_keys SET leased_until = now() WHERE ${IS_OF_KEY}`, [key]);
    whileHandling = () => undefined;
    const repeat = await post('/probes', { text: key });
    expect(repeat.status).toBe(201);
    open();
    expect(await slow).toMatchObject({ status: 409, body: { error: { code: 'idempotency_in_progress' } } });
    expect(await rowsOf(key)).toBe(1);
    expect((await post('/probes', { text: key })).body).toEqual(repeat.body);
  });

  it('has the answer on record as soon as its transaction is committed', async () => {
    const reply = await post('/probes', { text: key });
    const kept = await query<{ state: string; status: number; body: string }>(
      `SELECT state, status, body FROM idempotency_keys
       WHERE ${IS_OF_KEY} AND xmin = (SELECT xmin FROM probes WHERE text = $1)`,
      [key],
    );
    expect(kept).toEqual([{ state: 'answered', status: 201, body: JSON.stringify(reply.body) }]);
  });

  it('leaves nothing of the key and the body on record but what was answered', async () => {
    whileHandling = () => undefined;
    await post('/probes/plain/empty', { text: 'my-password' });
    const [row] = await query<Record<string, unknown>>(`SELECT * FROM idempotency_keys WHERE ${IS_OF_KEY}`, [
      key,
    ]);
    expect(JSON.stringify(row)).not.toContain(key);
    expect(JSON.stringify(row)).not.toContain('my-password');
    // A guessed body cannot be verified without the key.
    const guess = fingerprintOf('POST', '/probes/plain/:kind', {
      params: { kind: 'empty' },
      query: {},
      body: { text: 'my-password' },
    });
    expect(row).not.toMatchObject({ sealed_fingerprint: guess });
    expect(row).toMatchObject({ sealed_fingerprint: createHmac('sha256', key).update(guess).digest('hex') });
  });

  it('is never carried out twice for an answer too large to keep', async () => {
    whileHandling = () => 'x'.repeat(256 * 1024);
    expect((await post('/probes/plain/x', { text: 'a' })).status).toBe(202);
    expect(await post('/probes/plain/x', { text: 'a' })).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict' } },
    });
    expect(handled).toBe(1);
  });

  describe('after 24 hours', () => {
    const age = (interval: string): Promise<object[]> =>
      query(`UPDATE idempotency_keys SET created_at = now() - $2::interval WHERE ${IS_OF_KEY}`, [
        key,
        interval,
      ]);
    afterEach(() => query('DELETE FROM idempotency_keys'));

    it('takes the key for a new request', async () => {
      await post('/probes/plain/x', { text: 'a' });
      await age('23:00:00');
      expect((await post('/probes/plain/x', { text: 'b' })).status).toBe(422);
      await age('24:00:00');
      expect(await post('/probes/plain/x', { text: 'b' })).toMatchObject({
        status: 202,
        body: { text: 'b' },
      });
      expect((await post('/probes/plain/x', { text: 'b' })).headers.get('idempotent-replayed')).toBe('true');
    });

    it('is forgotten, in batches, and nothing else is', async () => {
      await post('/probes/plain/x', { text: 'a' });
      await query(`
        INSERT INTO idempotency_keys (owner, key_hash, sealed_fingerprint, claim_id, state, leased_until, created_at)
        SELECT 'client:gone', n::text, '', gen_random_uuid(), 'running', now(), now() - interval '25 hours'
        FROM generate_series(1, 5500) n`);
      const purges = service.app.nest.get(Purges);
      while (await purges.purgeNext());
      expect(await query(`SELECT FROM idempotency_keys WHERE owner = 'client:gone'`)).toEqual([]);
      expect((await post('/probes/plain/x', { text: 'a' })).headers.get('idempotent-replayed')).toBe('true');
    });
  });
});
