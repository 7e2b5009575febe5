import { EventEmitter } from 'node:events';
import type { Response } from 'express';
import { describe, expect, it } from 'vitest';
import { UPLOADS_MAX, UPLOADS_PER_CALLER_MAX, UploadSlots } from './upload-slots.js';

describe('UploadSlots', () => {
  const take = (slots: UploadSlots, caller: string): Response => {
    const response = new EventEmitter() as Response;
    slots.take(caller, response);
    return response;
  };
  const refusal = expect.objectContaining({
    code: 'rate_limited',
    headers: { 'Retry-After': '1' },
  }) as unknown;

  it('leaves room for others beside a caller who takes all that one may', () => {
    const slots = new UploadSlots();
    const responses = Array.from({ length: UPLOADS_PER_CALLER_MAX }, () => take(slots, 'a'));
    expect(() => take(slots, 'a')).toThrow(refusal);
    take(slots, 'b');
    responses[0]!.emit('close');
    take(slots, 'a');
    expect(() => take(slots, 'a')).toThrow(refusal);
  });

  it('turns everyone away where all together have too many, until one is over', () => {
    const slots = new UploadSlots();
    const responses = Array.from({ length: UPLOADS_MAX }, (_, i) => take(slots, `caller ${i}`));
    expect(() => take(slots, 'late')).toThrow(refusal);
    expect(() => take(slots, 'caller 0')).toThrow(refusal);
    for (const response of responses) response.emit('close');
    for (let i = 0; i < UPLOADS_MAX; i++) take(slots, `again ${i}`);
    expect(() => take(slots, 'late')).toThrow(refusal);
  });
});
