import { describe, expect, it } from 'vitest';
import { offchainMessage, offchainProblem } from './solana-offchain.js';

const SIGNER = Buffer.alloc(32, 0xaa);

/** The parts that Solana's specification of off-chain messages lists, at the offsets that it gives. */
describe('off-chain messages of Solana', () => {
  it('have the preamble of their specification', () => {
    const message = offchainMessage(SIGNER, Buffer.from('Hello\nworld'));
    expect(message.subarray(0x00, 0x10)).toEqual(Buffer.from('ff736f6c616e61206f6666636861696e', 'hex'));
    expect(message[0x10]).toBe(0);
    expect(message.subarray(0x11, 0x31)).toEqual(Buffer.alloc(32));
    expect(message[0x32]).toBe(1);
    expect(message.subarray(0x33, 0x53)).toEqual(SIGNER);
    expect(message.readUInt16LE(0x53)).toBe(11);
    expect(message.subarray(0x55).toString()).toBe('Hello\nworld');
  });

  it.each([
    ['x', 0],
    [' ~'.repeat(616), 0],
    ['Hello\nworld', 1],
    ['Grüße', 1],
    ['✌🏿cool', 1],
    ['\x7f', 1],
    ['x'.repeat(1_233), 2],
    ['ü'.repeat(617), 2],
  ])('say of what kind they are: %.10s', (text, format) => {
    expect(offchainMessage(SIGNER, Buffer.from(text))[0x31]).toBe(format);
  });

  it('are text, neither none nor too much', () => {
    expect(offchainProblem(Buffer.alloc(0))).toMatch(/empty/);
    expect(offchainProblem(Buffer.alloc(65_536, 0x20))).toMatch(/larger/);
    expect(offchainProblem(Buffer.of(0xff))).toMatch(/UTF-8/);
    expect(offchainProblem(Buffer.alloc(65_535, 0x20))).toBeUndefined();
  });
});
