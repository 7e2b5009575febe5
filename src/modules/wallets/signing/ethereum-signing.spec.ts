import { hexToBytes, keccak256, toHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { eip191Digest, signDigest } from './ethereum-signing.js';

describe('signatures on ethereum', () => {
  it('of messages are those of EIP-191, as web3’s own documents show one', () => {
    const digest = eip191Digest(Buffer.from('Some data'));
    expect(digest).toBe('0x1da44b586eb0729ff70a73c326926f6ed5a25f5b056e7f47fbc6e58d86871655');
    const key = hexToBytes('0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318');
    expect(signDigest(key, digest)).toBe(
      '0xb91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a0291c',
    );
  });

  it('of typed data are those of the example of EIP-712', () => {
    const digest = '0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2';
    expect(signDigest(hexToBytes(keccak256(toHex('cow'))), digest)).toBe(
      '0x4355c47d63924e8a72e509b65029052eb6c299d53a04e167c5775fd466751c9d07299936d304c153f6443dfa05f40ff007d72911b6f72307f996231605b915621c',
    );
  });
});
