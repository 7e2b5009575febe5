import { generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base64Of, hexOf, utf8 } from './bytes.js';
import { canonicalJson } from './canonical-json.js';
import { keyIdOf, type JournalKey } from './journal-head.js';
import { leafHash } from './merkle-tree.js';
import {
  checkLiabilityProof,
  emptyLiabilitiesRoot,
  faultOfLiabilities,
  leafNodeOf,
  leafSaltOf,
  LEAF_PARTS,
  liabilitiesBytes,
  type LiabilityProof,
  partOfBalance,
  type PublishedLiabilities,
} from './liability-proof.js';
import { addSums, areEqualSums, type Sums, sumPathOf, sumRootOf, sumsJson, sumsOf } from './sum-tree.js';

const SECRET = new Uint8Array(32).fill(7);

/** A cut of a few accounts, made in the simplest way. */
function cutOf(accounts: readonly Sums[]): { published: PublishedLiabilities; proofs: LiabilityProof[] } {
  const leaves = accounts
    .flatMap((balances, account) =>
      [1, 2].map((part) => {
        const salt = leafSaltOf(SECRET, account, part);
        const sums = partOfBalance(SECRET, account, balances, part);
        const named = { account_id: `acc_${account}`, part, parts: LEAF_PARTS };
        return {
          account,
          salt,
          leaf: { ...named, balances: sumsJson(sums) },
          node: leafNodeOf(salt, named, sums),
        };
      }),
    )
    .sort((a, b) => (hexOf(a.salt) < hexOf(b.salt) ? -1 : 1));
  const nodes = leaves.map(({ node }) => node);
  const root = sumRootOf(nodes)!;
  const published = {
    root_hash: hexOf(root.hash),
    totals: Object.entries(sumsJson(root.sums)).map(([asset, amount]) => ({ asset, amount })),
  };
  const proofs = accounts.map((_, account) => ({
    account_id: `acc_${account}`,
    root: published.root_hash,
    parts: leaves
      .map((leaf, index) => ({ ...leaf, index }))
      .filter((leaf) => leaf.account === account)
      .sort((a, b) => a.leaf.part - b.leaf.part)
      .map(({ leaf, salt, index }) => ({
        leaf,
        salt: hexOf(salt),
        path: sumPathOf(nodes, index).map(({ node, side }) => ({
          hash: hexOf(node.hash),
          sums: sumsJson(node.sums),
          side,
        })),
      })),
  }));
  return { published, proofs };
}

const balancesArbitrary: fc.Arbitrary<Sums> = fc
  .dictionary(fc.constantFrom('BTC', 'ETH', 'USD'), fc.bigInt(1n, 10n ** 36n), { minKeys: 1 })
  .map((amounts) => new Map(Object.entries(amounts)));

const ACCOUNTS = [{ USD: '100', BTC: '0.5' }, { USD: '7.25' }, { BTC: '3' }, { USD: '1' }, { USD: '12' }].map(
  (balances) => sumsOf(balances),
);

describe('a proof of liabilities', () => {
  it('holds for each account, and tells what it has', () => {
    fc.assert(
      fc.property(fc.array(balancesArbitrary, { minLength: 1, maxLength: 12 }), (accounts) => {
        const { published, proofs } = cutOf(accounts);
        for (const [account, proof] of proofs.entries())
          expect(checkLiabilityProof(proof, published)).toEqual({
            ok: true,
            balances: sumsJson(accounts[account]!),
          });
      }),
      { numRuns: 50 },
    );
  });

  it('fails wherever any text or number of it is another', () => {
    const { published, proofs } = cutOf(ACCOUNTS);
    const whole = JSON.stringify(proofs[0]);
    const places: (string | number)[][] = [];
    const walk = (value: unknown, way: (string | number)[]): void => {
      if (typeof value !== 'object' || value === null) places.push(way);
      else for (const key of Object.keys(value)) walk((value as Record<string, unknown>)[key], [...way, key]);
    };
    walk(JSON.parse(whole), []);
    expect(places.length).toBeGreaterThan(30);
    for (const place of places) {
      for (const change of [other, () => null, () => '-1', () => 2 ** 53, () => ({}), () => undefined]) {
        const forged = JSON.parse(whole) as LiabilityProof;
        const [last, ...way] = [...place].reverse();
        const holder = way.reduceRight<Record<string | number, unknown>>(
          (value, key) => value[key] as Record<string | number, unknown>,
          forged as unknown as Record<string, unknown>,
        );
        holder[last!] = change(holder[last!]);
        expect(checkLiabilityProof(forged, published), place.join('.')).toMatchObject({ ok: false });
      }
    }
  });

  it('fails where steps are missing, double or in another order', () => {
    const { published, proofs } = cutOf(ACCOUNTS);
    const proof = proofs[0]!;
    const withPath = (path: LiabilityProof['parts'][0]['path']): LiabilityProof => ({
      ...proof,
      parts: [{ ...proof.parts[0]!, path }, proof.parts[1]!],
    });
    const { path } = proof.parts[0]!;
    for (const forged of [
      withPath(path.slice(1)),
      withPath([...path, path[0]!]),
      withPath([...path].reverse()),
      withPath(Array.from({ length: 65 }, () => path[0]!)),
      { ...proof, parts: [proof.parts[0]!] },
      { ...proof, parts: [proof.parts[0]!, proof.parts[0]!] },
      { ...proof, parts: [proof.parts[1]!, proof.parts[0]!] },
      { ...proof, parts: [...proof.parts, proof.parts[0]!] },
      { ...proofs[1]!, account_id: proof.account_id },
    ])
      expect(checkLiabilityProof(forged, published)).toMatchObject({ ok: false });
  });

  it('fails against other totals, and another root', () => {
    const { published, proofs } = cutOf(ACCOUNTS);
    const [first, ...others] = published.totals;
    for (const forged of [
      { ...published, totals: [{ ...first!, amount: '0.5' }, ...others] },
      { ...published, totals: others },
      { ...published, totals: [...published.totals, { asset: 'ETH', amount: '1' }] },
      { ...published, totals: [...published.totals, first!] },
      { ...published, root_hash: hexOf(emptyLiabilitiesRoot()) },
      { ...published, root_hash: '' },
      {} as PublishedLiabilities,
    ])
      expect(checkLiabilityProof(proofs[0]!, forged)).toMatchObject({ ok: false });
  });

  it.each([[null], [undefined], [1], ['proof'], [[]], [{}], [{ parts: null }], [{ parts: [null, null] }]])(
    'says that %j is none',
    (proof) => {
      const { published } = cutOf(ACCOUNTS);
      expect(checkLiabilityProof(proof as unknown as LiabilityProof, published)).toMatchObject({ ok: false });
    },
  );

  it('refuses a sibling of less than nothing, with which a sum could be made smaller', () => {
    const { published, proofs } = cutOf(ACCOUNTS);
    const proof = structuredClone(proofs[0]!) as unknown as {
      parts: { path: { sums: Record<string, string> }[] }[];
    };
    proof.parts[0]!.path[0]!.sums = { USD: '-100' };
    expect(checkLiabilityProof(proof as unknown as LiabilityProof, published)).toEqual({
      ok: false,
      reason: expect.stringContaining('no amount above zero') as string,
    });
  });

  it('does not lead back to what was left out', () => {
    const { published } = cutOf(ACCOUNTS.slice(1).concat(sumsOf({ EUR: '1' })));
    const { proofs } = cutOf(ACCOUNTS);
    expect(checkLiabilityProof(proofs[0]!, published)).toMatchObject({ ok: false });
  });
});

describe('the parts of a balance', () => {
  it('are the whole together, and neither is below zero', () => {
    fc.assert(
      fc.property(balancesArbitrary, fc.integer({ min: 1, max: 2 ** 40 }), (balances, account) => {
        const [one, other] = [1, 2].map((part) => partOfBalance(SECRET, account, balances, part));
        expect(areEqualSums(addSums(one!, other!), balances)).toBe(true);
        for (const units of [...one!.values(), ...other!.values()]) expect(units).toBeGreaterThan(0n);
      }),
    );
  });

  it('are another share for each account, asset and secret', () => {
    const balances = sumsOf({ BTC: '1', USD: '1' });
    const shares = [
      ...partOfBalance(SECRET, 1, balances, 1).values(),
      ...partOfBalance(SECRET, 2, balances, 1).values(),
      ...partOfBalance(new Uint8Array(32), 1, balances, 1).values(),
    ];
    expect(new Set(shares).size).toBe(6);
  });

  it('are spread over the whole balance', () => {
    const balances = sumsOf({ USD: '1' });
    const tenths = new Set<bigint>();
    for (let account = 1; account <= 500; account++) {
      const first = partOfBalance(SECRET, account, balances, 1).get('USD') ?? 0n;
      tenths.add(first / 10n ** 17n);
    }
    expect(tenths.size).toBe(10);
  });
});

describe('a leaf', () => {
  it('is hashed as 00, salt and RFC 8785 JSON', () => {
    const leaf = { account_id: 'acc_"ü', part: 2, parts: 2, balances: { USD: '1', BTC: '2.5' } };
    const salt = leafSaltOf(SECRET, 5, 2);
    const { hash } = leafNodeOf(salt, leaf, sumsOf(leaf.balances));
    expect(hexOf(hash)).toBe(hexOf(leafHash(salt, utf8(canonicalJson(leaf)))));
  });

  it('has a salt of its own', () => {
    const salts = [leafSaltOf(SECRET, 1, 1), leafSaltOf(SECRET, 1, 2), leafSaltOf(SECRET, 2, 1)].map(hexOf);
    expect(new Set(salts).size).toBe(3);
  });
});

describe('a published report', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const bytes = publicKey.export({ type: 'spki', format: 'der' }).subarray(12);
  const keyId = keyIdOf(bytes);
  const keys = new Map([[keyId, { public_key: base64Of(bytes) } as JournalKey]]);
  const report = {
    as_of: '2026-11-26T00:00:00.000Z',
    sequence: 12,
    ...cutOf(ACCOUNTS).published,
    assets_shown: [{ asset: 'USD', amount: null }],
    key_id: keyId,
  };
  const signed = {
    ...report,
    signature: sign(null, liabilitiesBytes(report), privateKey).toString('base64'),
  };

  it('is signed by a key of the service, all of it', () => {
    expect(faultOfLiabilities(signed, keys)).toBeNull();
    for (const forged of [
      { ...signed, sequence: 13 },
      { ...signed, as_of: '2026-11-27T00:00:00.000Z' },
      { ...signed, totals: signed.totals.slice(1) },
      { ...signed, assets_shown: [{ asset: 'USD', amount: '5' }] },
      { ...signed, more: 'of it' },
      { ...signed, key_id: 'other' },
      { ...signed, signature: '' },
      { ...signed, signature: null as unknown as string },
    ])
      expect(faultOfLiabilities(forged, keys)).not.toBeNull();
  });
});

/** Another value of the same kind. */
function other(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  const text = String(value);
  if (text === 'left' || text === 'right') return text === 'left' ? 'right' : 'left';
  const last = text.at(-1);
  return `${text.slice(0, -1)}${last === '1' ? '2' : '1'}`;
}
