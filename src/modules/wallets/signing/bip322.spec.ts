import { WIF } from '@scure/btc-signer';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, it } from 'vitest';
import { schemeOf } from '../keys/chain-scheme.js';
import { bip322MessageHash, signBip322 } from './bip322.js';

const privateKey = WIF().decode('L3VFeEujGtevx9w18HD1fhRbCH67Az2dpCymeRE1SoPK6XQtaN2k');
const publicKey = secp256k1.getPublicKey(privateKey);

/** The test vectors of BIP-322 for P2WPKH; of the two signatures that it has for each message, the one by plain RFC 6979. */
describe('BIP-322', () => {
  it('is tried with the key of its own vectors', () => {
    expect(schemeOf('bitcoin', 'mainnet').addressOf(publicKey)).toBe(
      'bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l',
    );
  });

  it.each([
    ['', 'c90c269c4f8fcbe6880f72a721ddfbf1914268a794cbb21cfafee13770ae19f1'],
    ['Hello World', 'f0eb03b1a75ac6d9847f55c624a99169b5dccba2a31f5b23bea77ba270de0a7a'],
    ['UTF-8 support: öäüéàè 测试文本 😄', '43936b237ea38c7794eb5d755e0d220b6db92ebfc5c8f482759d22b1286376d7'],
  ])('hashes messages: %j', (message, hash) => {
    expect(bip322MessageHash(Buffer.from(message)).toString('hex')).toBe(hash);
  });

  it.each([
    [
      '',
      'AkgwRQIhAPkJ1Q4oYS0htvyuSFHLxRQpFAY56b70UvE7Dxazen0ZAiAtZfFz1S6T6I23MWI2lK/pcNTWncuyL8UL+oMdydVgzAEhAsfxIAMZZEKUPYWI4BruhAQjzFT8FSFSajuFwrDL1Yhy',
    ],
    [
      'Hello World',
      'AkgwRQIhAOzyynlqt93lOKJr+wmmxIens//zPzl9tqIOua93wO6MAiBi5n5EyAcPScOjf1lAqIUIQtr3zKNeavYabHyR8eGhowEhAsfxIAMZZEKUPYWI4BruhAQjzFT8FSFSajuFwrDL1Yhy',
    ],
  ])('signs messages: %j', (message, signature) => {
    expect(signBip322({ privateKey, publicKey }, Buffer.from(message))).toBe(signature);
  });
});
