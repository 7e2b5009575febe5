import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exampleOf } from '../../scripts/support/example-of-answers.js';
import { examplesIn, RecordedAnswers } from '../../scripts/support/recorded-answers.js';

describe('an answer as an example', () => {
  it('counts ids from 1, each as often as it is meant', () => {
    const answer = {
      order_id: 'ord_0000000A1F3',
      account_id: 'acc_00000000009',
      text: 'about ord_0000000A1F3',
    };
    expect(exampleOf(answer)).toEqual({
      order_id: 'ord_00000000001',
      account_id: 'acc_00000000001',
      text: 'about ord_00000000001',
    });
  });

  it('keeps the order of times, and which of them are the same', () => {
    const [early, late] = ['2026-12-24T08:00:00.123Z', '2026-12-24T08:00:07.000Z'];
    expect(exampleOf({ updated_at: late, created_at: early, seen_at: late })).toEqual({
      updated_at: '2026-11-02T09:01:00.000Z',
      created_at: '2026-11-02T09:00:00.000Z',
      seen_at: '2026-11-02T09:01:00.000Z',
    });
  });

  it.each([
    ['access_token', 'tpa_0Zk3vXbq9T1w'],
    ['secret', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    ['client_secret', 'a1b2c3d4e5f6a7b8c9'],
  ])('makes up the %s', (field, secret) => {
    const example = exampleOf({ [field]: secret }) as Record<string, string>;
    expect(example[field]).toMatch(/^(?:tpa_|whsec_)?example/);
    expect(example[field]).toHaveLength(secret.length);
  });

  it('makes up digests and signatures of the same shape, alike each time', () => {
    const signed = (byte: number): object => ({
      state_hash: Buffer.alloc(32, byte).toString('hex'),
      signature: Buffer.alloc(64, byte).toString('base64'),
    });
    const example = exampleOf(signed(1)) as Record<string, string>;
    expect(example).toEqual(exampleOf(signed(2)));
    expect(example['state_hash']).toMatch(/^[0-9a-f]{64}$/);
    expect(Buffer.from(example['signature']!, 'base64')).toHaveLength(64);
  });

  it('is short: the fullest row of a list, a few texts, the start of a page', () => {
    const answer = {
      data: [{ price: null }, { price: '1' }],
      bids: [
        ['1', '2'],
        ['2', '3'],
        ['3', '4'],
      ],
      tags: ['a', 'b', 'c', 'd'],
      text: 'word '.repeat(200),
    };
    const example = exampleOf(answer) as typeof answer;
    expect(example.data).toEqual([{ price: '1' }]);
    expect(example.bids).toHaveLength(2);
    expect(example.tags).toHaveLength(3);
    expect(example.text).toMatch(/^word .{150,240} …$/);
  });

  it('knows no address of the service that was tested', () => {
    expect(exampleOf({ url: 'http://127.0.0.1:39121/blog/posts/a' })).toEqual({
      url: 'https://tradepost.example/blog/posts/a',
    });
  });
});

describe('recorded answers', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tradepost-answers-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const always = (): boolean => true;

  it('are the fullest of all that came', () => {
    const answers = new RecordedAnswers(folder, {});
    answers.add('GET /a', 200, { data: [] }, always);
    answers.add('GET /a', 200, { data: [{ id: 1 }] }, always);
    answers.add('GET /a', 200, { data: [{ id: null }] }, always);
    expect(examplesIn(folder)).toEqual({ 'GET /a': { 200: { data: [{ id: 1 }] } } });
  });

  it('are only those that the document declares', () => {
    const answers = new RecordedAnswers(folder, {});
    answers.add('GET /a', 200, { other: 1 }, () => false);
    expect(examplesIn(folder)).toEqual({});
  });

  it('leave a known example that is right and tells as much', () => {
    const known = { 'GET /a': { 200: { name: 'known' } }, 'GET /b': { 200: { gone: 'field' } } };
    const answers = new RecordedAnswers(folder, known);
    answers.add('GET /a', 200, { name: 'new' }, always);
    answers.add('GET /b', 200, { name: 'new' }, (example) => !('gone' in (example as object)));
    expect(examplesIn(folder)).toEqual({ 'GET /b': { 200: { name: 'new' } } });
  });
});
