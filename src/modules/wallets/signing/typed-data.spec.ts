import { TypedDataEncoder, type TypedDataDomain } from 'ethers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApiError } from '../../../kit/http/errors.js';
import { parseTypedData } from './typed-data.js';

// The specs change typed data in ways that no type would allow.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Json = any;

/** The example of EIP-712 itself. */
const MAIL = {
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'version', type: 'string' },
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
    ],
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallet', type: 'address' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person' },
      { name: 'contents', type: 'string' },
    ],
  },
  primaryType: 'Mail',
  domain: {
    name: 'Ether Mail',
    version: '1',
    chainId: 1,
    verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
  },
  message: {
    from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
    to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
    contents: 'Hello, Bob!',
  },
};
const MAIL_DIGEST = '0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2';

/** One field of one type with one value. */
const holding = (type: string, value: unknown, more: Json = {}): Json => ({
  types: { Thing: [{ name: 'value', type }], ...more },
  primaryType: 'Thing',
  domain: { name: 'Test' },
  message: { value },
});

const digestOf = (data: unknown): string => parseTypedData(data, 'typed_data').digest;

/** The fields that are told to be wrong; none where nothing is. */
function wrongFields(data: unknown): string[] {
  try {
    parseTypedData(data, 'typed_data');
    return [];
  } catch (error) {
    expect(error).toMatchObject({ code: 'validation_failed', status: 400 });
    return (error as ApiError).details!.map(({ field }) => field);
  }
}

const changed = (change: (data: Json) => void): Json => {
  const data = structuredClone(MAIL);
  change(data);
  return data;
};

describe('typed data', () => {
  it('have the digest of the example of EIP-712', () => {
    expect(digestOf(MAIL)).toBe(MAIL_DIGEST);
  });

  it('need not declare the type of their domain', () => {
    expect(digestOf(changed((data) => delete data.types.EIP712Domain))).toBe(MAIL_DIGEST);
  });

  it('may write numbers in several ways', () => {
    for (const chainId of [1, '1', '0x1', '0x01']) {
      expect(digestOf(changed((data) => (data.domain.chainId = chainId)))).toBe(MAIL_DIGEST);
    }
  });

  it('may write addresses in lower case', () => {
    const lower = changed((data) => (data.message.from.wallet = data.message.from.wallet.toLowerCase()));
    expect(digestOf(lower)).toBe(MAIL_DIGEST);
  });

  const refused: readonly [what: string, change: (data: Json) => void, fields: string[]][] = [
    ['a member of their own', (data) => (data.extra = 1), ['typed_data.extra']],
    ['no types', (data) => delete data.types, ['typed_data.types']],
    ['a list of types', (data) => (data.types = []), ['typed_data.types']],
    ['no primary type', (data) => delete data.primaryType, ['typed_data.primaryType']],
    ['an unknown primary type', (data) => (data.primaryType = 'Letter'), ['typed_data.primaryType']],
    ['an inherited primary type', (data) => (data.primaryType = 'toString'), ['typed_data.primaryType']],
    [
      'their domain as primary type',
      (data) => (data.primaryType = 'EIP712Domain'),
      ['typed_data.primaryType'],
    ],
    ['no domain', (data) => delete data.domain, ['typed_data.domain']],
    ['no message', (data) => delete data.message, ['typed_data.message']],
    ['a text as message', (data) => (data.message = 'hello'), ['typed_data.message']],
    ['a missing field', (data) => delete data.message.to.wallet, ['typed_data.message.to.wallet']],
    ['null as a struct', (data) => (data.message.to = null), ['typed_data.message.to']],
    ['null as a text', (data) => (data.message.contents = null), ['typed_data.message.contents']],
    ['a surplus field', (data) => (data.message.to.age = 7), ['typed_data.message.to.age']],
    ['a list for a struct', (data) => (data.message.to = [data.message.to]), ['typed_data.message.to']],
    ['an unknown type', (data) => (data.types.Mail[0].type = 'Human'), ['typed_data.types.Mail.0.type']],
    [
      'an inherited type',
      (data) => (data.types.Mail[0].type = 'constructor'),
      ['typed_data.types.Mail.0.type'],
    ],
    [
      'the domain as a type',
      (data) => (data.types.Mail[0].type = 'EIP712Domain'),
      ['typed_data.types.Mail.0.type'],
    ],
    ['an alias of a type', (data) => (data.types.Mail[2].type = 'uint'), ['typed_data.types.Mail.2.type']],
    ['a width that is none', (data) => (data.types.Mail[2].type = 'uint7'), ['typed_data.types.Mail.2.type']],
    [
      'a size that is none',
      (data) => (data.types.Mail[2].type = 'bytes33'),
      ['typed_data.types.Mail.2.type'],
    ],
    [
      'a function as type',
      (data) => (data.types.Mail[2].type = 'function'),
      ['typed_data.types.Mail.2.type'],
    ],
    ['spaces in a type', (data) => (data.types.Mail[2].type = 'string '), ['typed_data.types.Mail.2.type']],
    [
      'five dimensions',
      (data) => (data.types.Mail[2].type = 'string[][][][][]'),
      ['typed_data.types.Mail.2.type'],
    ],
    ['a list of none', (data) => (data.types.Mail[2].type = 'string[0]'), ['typed_data.types.Mail.2.type']],
    ['a field without type', (data) => delete data.types.Mail[2].type, ['typed_data.types.Mail.2.type']],
    ['a field with more', (data) => (data.types.Mail[2].indexed = true), ['typed_data.types.Mail.2.indexed']],
    ['a field named twice', (data) => (data.types.Mail[2].name = 'to'), ['typed_data.types.Mail.2.name']],
    [
      'a field named badly',
      (data) => (data.types.Mail[2].name = 'a,uint256 b'),
      ['typed_data.types.Mail.2.name'],
    ],
    ['a field that is no field', (data) => (data.types.Mail[2] = 'string'), ['typed_data.types.Mail.2']],
    ['a type without fields', (data) => (data.types.Person = []), ['typed_data.types.Person']],
    [
      'a type named badly',
      (data) => (data.types['Per son'] = data.types.Person),
      ['typed_data.types.Per son'],
    ],
    [
      'a type named with a sign that not all understand',
      (data) => (data.types.Per$on = data.types.Person),
      ['typed_data.types.Per$on'],
    ],
    [
      'a type named like a built-in one',
      (data) => (data.types.uint8 = data.types.Person),
      ['typed_data.types.uint8'],
    ],
    [
      'a type within itself',
      (data) => data.types.Person.push({ name: 'friends', type: 'Person[]' }),
      ['typed_data.types.Person'],
    ],
    [
      'types within each other',
      (data) => data.types.Person.push({ name: 'mail', type: 'Mail' }),
      ['typed_data.types.Person', 'typed_data.types.Mail'],
    ],
    [
      'an empty domain',
      (data) => ((data.domain = {}), delete data.types.EIP712Domain),
      ['typed_data.domain'],
    ],
    ['a domain with more', (data) => (data.domain.salty = '0x'), ['typed_data.domain.salty']],
    [
      'a domain with more, its type undeclared',
      (data) => ((data.domain.a = 1), delete data.types.EIP712Domain),
      ['typed_data.domain.a'],
    ],
    ['a domain with less than declared', (data) => delete data.domain.version, ['typed_data.domain.version']],
    [
      'a domain of another type',
      (data) => (data.types.EIP712Domain[2].type = 'uint8'),
      ['typed_data.types.EIP712Domain'],
    ],
    [
      'a domain in another order',
      (data) => data.types.EIP712Domain.reverse(),
      ['typed_data.types.EIP712Domain'],
    ],
    [
      'a domain with a field of its own',
      (data) => data.types.EIP712Domain.push({ name: 'x', type: 'bool' }),
      ['typed_data.types.EIP712Domain'],
    ],
    ['a chain below zero', (data) => (data.domain.chainId = -1), ['typed_data.domain.chainId']],
    ['a chain that is none', (data) => (data.domain.chainId = 'mainnet'), ['typed_data.domain.chainId']],
    [
      'a bad contract',
      (data) => (data.domain.verifyingContract = '0x00'),
      ['typed_data.domain.verifyingContract'],
    ],
    ['a number as name', (data) => (data.domain.name = 7), ['typed_data.domain.name']],
  ];
  it.each(refused)('are refused with %s', (_what, change, fields) => {
    expect(wrongFields(changed(change))).toEqual(fields);
  });

  it.each([undefined, null, 'x', 7, [], [MAIL]])('are no %j', (data) => {
    expect(wrongFields(data)).toEqual(['typed_data']);
  });

  it.each([
    [
      'uint8',
      [0, 255, '255', '0xff'],
      [-1, 256, '256', '0x100', 1.5, 1e21, NaN, '', ' 1', '1e2', '01', '0x', true, null, [1], {}],
    ],
    ['int8', [-128, 127, '-128'], [-129, 128, '-129', '0x80', '-0', '--1', '-0x1']],
    [
      'uint256',
      [(2n ** 256n - 1n).toString(), `0x${'f'.repeat(64)}`, 0],
      [(2n ** 256n).toString(), `0x1${'0'.repeat(64)}`, 2 ** 53, '9'.repeat(100_000)],
    ],
    [
      'int256',
      [(-(2n ** 255n)).toString(), (2n ** 255n - 1n).toString()],
      [(2n ** 255n).toString(), (-(2n ** 255n) - 1n).toString()],
    ],
    ['bool', [true, false], [0, 1, 'true', null]],
    ['string', ['', 'a', 'ü😀\u0000'], [0, null, ['a'], {}]],
    ['bytes', ['0x', '0x00', '0xAb'], ['', '0', '0x0', '00', 'ab', 7, null, '0xzz']],
    ['bytes4', ['0x00000000', '0xABCDEF01'], ['0x', '0x000000', '0x0000000000', '00000000', 0]],
    [
      'address',
      ['0x0000000000000000000000000000000000000000', '0x9858EfFD232B4033E47d90003D41EC34EcaEda94'],
      [
        '0x9858effD232B4033E47d90003D41EC34EcaEda94',
        '9858effd232b4033e47d90003d41ec34ecaeda94',
        '0x00',
        'vitalik.eth',
        0,
        null,
      ],
    ],
    ['uint8[]', [[], [1, 2, 3]], [1, '1,2', {}, { 0: 1, length: 1 }, null]],
    ['uint8[2]', [[1, 2]], [[], [1], [1, 2, 3]]],
    [
      'uint8[2][]',
      [
        [],
        [[1, 2]],
        [
          [1, 2],
          [3, 4],
        ],
      ],
      [[1, 2], [[1]]],
    ],
    ['uint8[][2]', [[[], [1, 2, 3]]], [[], [[]], [[], [], []]]],
  ] as [string, unknown[], unknown[]][])('take values of %s, and no others', (type, good, bad) => {
    for (const value of good) {
      const data = holding(type, value);
      expect(wrongFields(data)).toEqual([]);
      expect(digestOf(data)).toBe(TypedDataEncoder.hash(data.domain, data.types, data.message));
    }
    for (const value of bad) {
      expect(wrongFields(holding(type, value))[0], JSON.stringify(value)).toMatch(
        /^typed_data\.message\.value/,
      );
    }
  });

  it('name the value that is wrong, in lists of structs of lists', () => {
    const data = {
      types: {
        Order: [{ name: 'lines', type: 'Line[]' }],
        Line: [{ name: 'prices', type: 'uint8[]' }],
      },
      primaryType: 'Order',
      domain: { name: 'Test' },
      message: { lines: [{ prices: [1] }, { prices: [1, 2, 256] }, { prices: [-1] }] },
    };
    expect(wrongFields(data)).toEqual([
      'typed_data.message.lines.1.prices.2',
      'typed_data.message.lines.2.prices.0',
    ]);
  });

  it('are told at most twenty of their errors', () => {
    expect(wrongFields(holding('uint8[]', Array(1_000).fill(-1)))).toHaveLength(20);
  });

  it('have no more values and types than can be looked at', () => {
    expect(wrongFields(holding('uint8[]', Array(1_998).fill(0)))).toEqual([]);
    expect(wrongFields(holding('uint8[]', Array(1_999).fill(0)))).toEqual(['typed_data.message.value.1998']);
    expect(wrongFields(holding('uint8[][]', Array(2_001).fill([])))).toHaveLength(1);
    const many = Object.fromEntries(
      Array.from({ length: 65 }, (_, i) => [`T${i}`, [{ name: 'a', type: 'bool' }]]),
    );
    expect(wrongFields(holding('bool', true, many))).toEqual(['typed_data.types']);
    const wide = { Wide: Array.from({ length: 129 }, (_, i) => ({ name: `a${i}`, type: 'bool' })) };
    expect(wrongFields(holding('bool', true, wide))).toEqual(['typed_data.types.Wide']);
  });

  it('are not many small structs of large types, each of which would hash the text of its type', () => {
    const fields = Array.from({ length: 128 }, (_, i) => ({ name: `${'x'.repeat(60)}${i}`, type: 'bool' }));
    const data = (count: number): Json =>
      holding('Branch[]', Array(count).fill({ leaves: [] }), {
        Branch: [{ name: 'leaves', type: 'Leaf[]' }],
        Leaf: fields,
      });
    expect(wrongFields(data(20))).toEqual([]);
    expect(wrongFields(data(30))).toHaveLength(1);
  });

  it('are hashed as ethers hashes them', () => {
    fc.assert(
      fc.property(typedData, ({ types, domain, message }) => {
        const digest = digestOf({ types, domain, message, primaryType: 'Root' });
        expect(digest).toBe(TypedDataEncoder.hash(domain, types, message));
      }),
      { numRuns: 200 },
    );
  });
});

const hexOf = (bytes: fc.Arbitrary<Uint8Array>): fc.Arbitrary<string> =>
  bytes.map((value) => `0x${Buffer.from(value).toString('hex')}`);
const sized = (length: number): fc.Arbitrary<string> =>
  hexOf(fc.uint8Array({ minLength: length, maxLength: length }));

const atoms: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  uint8: fc.nat(255),
  uint256: fc.bigInt(0n, 2n ** 256n - 1n).map(String),
  int64: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(String),
  bool: fc.boolean(),
  string: fc.string({ unit: 'grapheme' }),
  address: sized(20),
  bytes: hexOf(fc.uint8Array({ maxLength: 70 })),
  bytes7: sized(7),
  bytes32: sized(32),
};

/** A struct of every built-in type, alone and in lists, with another struct in it. */
const typedData = fc
  .record({
    root: fc.subarray(Object.keys(atoms), { minLength: 1 }),
    leaf: fc.subarray(Object.keys(atoms), { minLength: 1 }),
  })
  .chain(({ root, leaf }) => {
    const leafValue = fc.record(Object.fromEntries(leaf.map((type) => [`a_${type}`, atoms[type]!])));
    const rootValue = fc.record({
      ...Object.fromEntries(root.map((type) => [`a_${type}`, atoms[type]!])),
      ...Object.fromEntries(root.map((type) => [`all_${type}`, fc.array(atoms[type]!, { maxLength: 3 })])),
      leaf: leafValue,
      leaves: fc.array(fc.tuple(leafValue, leafValue), { maxLength: 2 }),
    });
    const types = {
      Root: [
        ...root.map((type) => ({ name: `a_${type}`, type })),
        ...root.map((type) => ({ name: `all_${type}`, type: `${type}[]` })),
        { name: 'leaf', type: 'Leaf' },
        { name: 'leaves', type: 'Leaf[2][]' },
      ],
      Leaf: leaf.map((type) => ({ name: `a_${type}`, type })),
    };
    const domain: fc.Arbitrary<TypedDataDomain> = fc.record(
      {
        name: fc.string(),
        version: fc.string(),
        chainId: fc.nat(),
        verifyingContract: sized(20),
        salt: sized(32),
      },
      { requiredKeys: ['name'] },
    );
    return fc.record({ types: fc.constant(types), domain, message: rootValue });
  });
