import { entropyToMnemonic, mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { HDNodeWallet, Mnemonic } from 'ethers';
import { mnemonicToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { schemeOf } from './chain-scheme.js';
import { parsePath } from './path.js';
import { deriveSecp256k1 } from './secp256k1.js';
import { seedOf } from './wallet-keys.js';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'));

/** What the standards themselves give as examples. */
const ABANDON = `${'abandon '.repeat(11)}about`;
const seedOfWords = (words: string): Promise<Uint8Array> => seedOf(mnemonicToEntropy(words, wordlist));

describe('seeds', () => {
  // The test vectors of BIP-39 that have no passphrase are those with the empty one; TREZOR's are of another.
  it.each([
    [
      '00000000000000000000000000000000',
      ABANDON,
      '5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc19a5ac40b389cd370d086206dec8aa6c43daea6690f20ad3d8d48b2d2ce9e38e4',
    ],
    [
      '0000000000000000000000000000000000000000000000000000000000000000',
      `${'abandon '.repeat(23)}art`,
      '408b285c123836004f4b8842c89324c1f01382450c0d439af345ba7fc49acf705489c6fc77dbd4e3dc1dd8cc6bc9f043db8ada1e243c4a0eafb290d399480840',
    ],
  ])('are those of BIP-39: %s', async (entropy, words, seed) => {
    expect(entropyToMnemonic(bytes(entropy), wordlist)).toBe(words);
    expect(hex(await seedOf(bytes(entropy)))).toBe(seed);
  });
});

describe('keys on secp256k1', () => {
  // Private keys of the chains of BIP-32's test vectors, decoded from their xprv.
  it.each([
    ['m', 'e8f32e723decf4051aefac8e2c93c9c5b214313817cdb01a1494b917c8436b35'],
    ["m/0'", 'edb2e14f9ee77d26dd93b4ecede8d16ed408ce149b6cd80b0715a2d911a0afea'],
    ["m/0'/1", '3c6cb8d0f6a264c91ea8b5030fadaa8e538b020f0a387421a12de9319dc93368'],
    ["m/0'/1/2'", 'cbce0d719ecf7431d88e6a89fa1483e02e35092af60c042b1df2ff59fa424dca'],
    ["m/0'/1/2'/2", '0f479245fb19a38a1954c5c7c0ebab2f9bdfd96a17563ef28a6a4b1a2a764ef4'],
    ["m/0'/1/2'/2/1000000000", '471b76e389e528d6de6d816857e012c5455051cad6660850e58372a6c3e6e7c8'],
  ])('are those of BIP-32, vector 1: %s', (path, privateKey) => {
    const seed = bytes('000102030405060708090a0b0c0d0e0f');
    expect(hex(deriveSecp256k1(seed, path).privateKey)).toBe(privateKey);
    expect(hex(seed)).toBe('000102030405060708090a0b0c0d0e0f');
  });

  it.each(['', '0/1', "m/0''", 'm//1', 'm/-1', 'm/2147483648', 'm/1h', 'm/ 1'])('have no path %j', (path) => {
    expect(() => parsePath(path)).toThrow(RangeError);
  });
});

describe('addresses on ethereum', () => {
  const { pathOf, derive, addressOf, formatPublicKey } = schemeOf('ethereum', 'mainnet');

  it.each([0, 1, 2, 19, 1_000])('are those that viem and ethers make: %i', async (index) => {
    const { privateKey, publicKey } = derive(await seedOfWords(ABANDON), pathOf(index));
    const ofViem = mnemonicToAccount(ABANDON, { addressIndex: index });
    const ofEthers = HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(ABANDON), pathOf(index));
    expect(addressOf(publicKey)).toBe(ofViem.address);
    expect(addressOf(publicKey)).toBe(ofEthers.address);
    expect(formatPublicKey(publicKey)).toBe(ofEthers.publicKey);
    expect(`0x${hex(privateKey)}`).toBe(ofEthers.privateKey);
  });

  it('begin with the one that everybody knows', async () => {
    expect(pathOf(0)).toBe("m/44'/60'/0'/0/0");
    expect(addressOf(derive(await seedOfWords(ABANDON), pathOf(0)).publicKey)).toBe(
      '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
    );
  });
});

describe('addresses on bitcoin', () => {
  // The test vectors of BIP-84.
  it.each([
    [
      0,
      '0330d54fd0dd420a6e5f8d3624f5f3482cae350f79d5f0753bf5beef9c2d91af3c',
      'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
    ],
    [
      1,
      '03e775fd51f0dfb8cd865d9ff1cca2a158cf651fe997fdc9fee9c1d3b5e995ea77',
      'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g',
    ],
  ])('are those of BIP-84: %i', async (index, publicKey, address) => {
    const scheme = schemeOf('bitcoin', 'mainnet');
    const key = scheme.derive(await seedOfWords(ABANDON), scheme.pathOf(index));
    expect(scheme.formatPublicKey(key.publicKey)).toBe(publicKey);
    expect(scheme.addressOf(key.publicKey)).toBe(address);
  });

  it.each([
    ['testnet', "m/84'/1'/0'/0/0", 'tb1q6rz28mcfaxtmd6v789l9rrlrusdprr9pqcpvkl'],
    ['signet', "m/84'/1'/0'/0/0", 'tb1q6rz28mcfaxtmd6v789l9rrlrusdprr9pqcpvkl'],
    ['regtest', "m/84'/1'/0'/0/0", 'bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk'],
  ] as const)('are of the network: %s', async (network, path, address) => {
    const scheme = schemeOf('bitcoin', network);
    expect(scheme.pathOf(0)).toBe(path);
    expect(scheme.addressOf(scheme.derive(await seedOfWords(ABANDON), path).publicKey)).toBe(address);
  });
});

describe('keys on ed25519', () => {
  const { derive, pathOf, addressOf } = schemeOf('solana', 'mainnet');

  // The test vectors 1 and 2 of SLIP-10 for ed25519.
  it.each([
    [
      '000102030405060708090a0b0c0d0e0f',
      'm',
      '2b4be7f19ee27bbf30c667b642d5f4aa69fd169872f8fc3059c08ebae2eb19e7',
      'a4b2856bfec510abab89753fac1ac0e1112364e7d250545963f135f2a33188ed',
    ],
    [
      '000102030405060708090a0b0c0d0e0f',
      "m/0'/1'/2'/2'/1000000000'",
      '8f94d394a8e8fd6b1bc2f3f49f5c47e385281d5c17e65324b0f62483e37e8793',
      '3c24da049451555d51a7014a37337aa4e12d41e485abccfa46b47dfb2af54b7a',
    ],
    [
      'fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a29f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542',
      "m/0'/2147483647'/1'/2147483646'/2'",
      '551d333177df541ad876a60ea71f00447931c0a9da16f227c11ea080d7391b8d',
      '47150c75db263559a70d5778bf36abbab30fb061ad69f69ece61a72b0cfa4fc0',
    ],
  ])('are those of SLIP-10: %s %s', (seed, path, privateKey, publicKey) => {
    const key = derive(bytes(seed), path);
    expect(hex(key.privateKey)).toBe(privateKey);
    expect(hex(key.publicKey)).toBe(publicKey);
  });

  it('are where solana’s wallets look for them', async () => {
    expect(pathOf(3)).toBe("m/44'/501'/3'/0'");
    expect(addressOf(derive(await seedOfWords(ABANDON), pathOf(0)).publicKey)).toBe(
      'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk',
    );
  });
});
