/**
 * Takes a cut of all that is owed, of one exact place of the ledger. Its leaves are copied in one snapshot, which ends
 * before they are hashed: while a snapshot lives, PostgreSQL keeps every old version of the rows that orders change, and
 * each of them makes the next order slower. Leaves are stored as they are hashed, and count for nothing before the signed
 * report is there, which comes last.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { ClientBase, QueryConfig, QueryResult } from 'pg';
import { formatAmount } from '../../../domain/money/amount.js';
import { hexOf } from '../../../domain/proof/bytes.js';
import { emptyLiabilitiesRoot, LEAF_PARTS, partOfBalance } from '../../../domain/proof/liability-proof.js';
import { addSums, type SumNode, type Sums, sumRootOf, SumTree } from '../../../domain/proof/sum-tree.js';
import { cursorOf } from '../../../core/projection/projector.js';
import { PrimaryClient } from '../../../kit/database/primary-client.js';
import { leavesQuery } from './cut-statements.js';
import { balancesOf, LEAVES_PER_CHUNK, nodeOfLeaf, packLeaves, type StoredLeaf } from './leaf-packing.js';
import type { LiabilityReport, LiabilityTotal, TakenCut } from './liability-report.js';

export interface CutOrder {
  /** May contain a password: never log it. */
  readonly databaseUrl: string;
  readonly cutId: string;
  /** 32 random bytes. */
  readonly secret: Uint8Array;
  /** The time of the service, for a cut of the present: that of the database may be set. */
  readonly requestedAt: string;
  /** A past moment; null for the present. */
  readonly past: { readonly sequence: number; readonly asOf: string } | null;
}

export interface CutProgress {
  readonly done: number;
  readonly total: number;
}

export interface CutHooks {
  readonly onProgress: (progress: CutProgress) => void;
  /** What is to be published of the cut. */
  readonly report: (cut: TakenCut) => Promise<LiabilityReport>;
}

/** Some chunks: what a fetch reads and an insertion writes. */
const ROWS_PER_FETCH = 4 * LEAVES_PER_CHUNK;
/** A process that hangs must not keep the run locked. */
const IDLE_MS_MAX = 120_000;
const STATEMENT_MS_MAX = 600_000;
const REST_MS_MAX = 100;

export async function takeCut(order: CutOrder, hooks: CutHooks): Promise<void> {
  const client = new PrimaryClient({
    connectionString: order.databaseUrl,
    application_name: 'tradepost-liabilities',
    connectionTimeoutMillis: 5_000,
    statement_timeout: STATEMENT_MS_MAX,
    idle_in_transaction_session_timeout: IDLE_MS_MAX,
    keepAlive: true,
  });
  await client.connect();
  try {
    // One core at most, and no more memory than a small database has to spare.
    await client.query(`SET work_mem = '32MB'; SET max_parallel_workers_per_gather = 0`);
    await removeOtherTries(client, order.cutId);
    const total = await countAccounts(client);
    hooks.onProgress({ done: 0, total });
    const place = await copyLeaves(client, order);
    const tree = await storeLeaves(client, order, (done) => hooks.onProgress({ done, total }));
    const report = await hooks.report({ ...place, root_hash: tree.rootHash(), totals: tree.totals() });
    await storeCut(client, order, tree.chunks, report);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** What a killed try has stored. Leaves that are published stay. */
async function removeOtherTries(client: ClientBase, cutId: string): Promise<void> {
  await client.query('BEGIN');
  await lockRun(client, cutId);
  await client.query(
    `DELETE FROM liability_chunks chunks WHERE cut_id = $1
       AND NOT EXISTS (SELECT FROM liability_cuts cuts WHERE cuts.cut_id = chunks.cut_id)`,
    [cutId],
  );
  await client.query('COMMIT');
}

/** Leaves the cursor `leaves` open, which the server has written to its disk. Answers the place of the ledger. */
async function copyLeaves(
  client: ClientBase,
  order: CutOrder,
): Promise<Pick<TakenCut, 'as_of' | 'sequence'>> {
  await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const { sequence, asOf } = order.past ?? (await presentOf(client, order.requestedAt));
  await client.query(leavesQuery(order.secret, order.past?.sequence ?? null));
  await client.query('COMMIT');
  return { as_of: asOf, sequence };
}

async function storeLeaves(
  client: ClientBase,
  order: CutOrder,
  onProgress: (accountsDone: number) => void,
): Promise<LeafTree> {
  // If the server crashes, this try is over and the next one begins anew.
  await client.query('SET synchronous_commit = off');
  const tree = new LeafTree(order);
  const fetch = (): Promise<QueryResult<LeafRow>> =>
    client.query<LeafRow>({ text: `FETCH ${ROWS_PER_FETCH} FROM leaves`, rowMode: 'array' });
  let { rows } = await fetch();
  let fastestMs = Infinity;
  while (rows.length > 0) {
    const beganMs = performance.now();
    // PostgreSQL reads the next page while this one is hashed. If it fails, that is seen below.
    const ahead = rows.length < ROWS_PER_FETCH ? null : fetch();
    ahead?.catch(() => undefined);
    const insertion = tree.add(rows);
    rows = (await ahead)?.rows ?? [];
    await client.query(insertion);
    onProgress(Math.floor(tree.leaves / LEAF_PARTS));
    // A page that took longer than others was kept waiting by somebody, who is given as much.
    const tookMs = performance.now() - beganMs;
    fastestMs = Math.min(fastestMs, tookMs);
    await delay(Math.min(tookMs - fastestMs, REST_MS_MAX));
  }
  await client.query('CLOSE leaves');
  await client.query('RESET synchronous_commit');
  return tree;
}

/** All leaves that are stored must be of this try: one whose process was frozen may have gone on beside it. */
async function storeCut(
  client: ClientBase,
  { cutId, secret }: CutOrder,
  chunks: number,
  report: LiabilityReport,
): Promise<void> {
  await client.query('BEGIN');
  await lockRun(client, cutId);
  const { rows } = await client.query<{ own: number; others: number }>(
    `SELECT count(*) FILTER (WHERE secret = $2)::integer AS own,
       count(*) FILTER (WHERE secret <> $2)::integer AS others
     FROM liability_chunks WHERE cut_id = $1`,
    [cutId, secret],
  );
  const { own, others } = rows[0]!;
  if (own !== chunks || others > 0) throw new Error('another try of this cut has gone on beside this one');
  await insertCut(client, cutId, report);
  await client.query('COMMIT');
}

/** Tries that lock it change what is stored of a cut one after the other. Throws where it was given up. */
async function lockRun(client: ClientBase, cutId: string): Promise<void> {
  const { rowCount } = await client.query(
    `SELECT FROM liability_runs WHERE cut_id = $1 AND status = 'running' FOR UPDATE`,
    [cutId],
  );
  if (rowCount === 0) throw new Error('this cut was ended');
}

const INSERT_CHUNKS = `
  INSERT INTO liability_chunks (cut_id, chunk, secret, first_salt, hash, sums, leaves)
  SELECT $1, $2 + place - 1, $3, first_salt, hash, sums, leaves
  FROM unnest($4::bytea[], $5::bytea[], $6::text[], $7::bytea[])
    WITH ORDINALITY AS chunks (first_salt, hash, sums, leaves, place)`;

type LeafRow = [accountId: string, part: number, balances: string, isPool: boolean, salt: Buffer];

/** Puts leaves, in their order, in chunks and the tree. */
class LeafTree {
  leaves = 0;
  chunks = 0;
  private inPools: Sums = new Map();
  private readonly tree = new SumTree();

  constructor(private readonly order: CutOrder) {}

  /** As many as make whole chunks, or the last ones; answers the statement that stores them. */
  add(rows: readonly LeafRow[]): QueryConfig {
    const firstSalts: Buffer[] = [];
    const roots: SumNode[] = [];
    const packed: Buffer[] = [];
    for (let from = 0; from < rows.length; from += LEAVES_PER_CHUNK) {
      const some = rows.slice(from, from + LEAVES_PER_CHUNK);
      const leaves = some.map((row) => this.leafOf(row));
      const root = sumRootOf(leaves.map((leaf, place) => nodeOfLeaf(some[place]![4], leaf)))!;
      this.tree.append(root);
      firstSalts.push(some[0]![4]);
      roots.push(root);
      packed.push(packLeaves(leaves));
    }
    const firstChunk = this.chunks;
    this.leaves += rows.length;
    this.chunks += roots.length;
    return {
      text: INSERT_CHUNKS,
      values: [
        this.order.cutId,
        firstChunk,
        this.order.secret,
        firstSalts,
        roots.map(({ hash }) => hash),
        roots.map(({ sumsText }) => sumsText),
        packed,
      ],
    };
  }

  rootHash(): string {
    return hexOf(this.tree.root()?.hash ?? emptyLiabilitiesRoot());
  }

  totals(): LiabilityTotal[] {
    return [...(this.tree.root()?.sums ?? [])]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([asset, units]) => ({
        asset,
        amount: formatAmount(units),
        in_pools: formatAmount(this.inPools.get(asset) ?? 0n),
      }));
  }

  private leafOf([accountId, part, balances, isPool]: LeafRow): StoredLeaf {
    const whole = balancesOf(balances.split(' '));
    for (const [asset, units] of whole) {
      // The engine lets no account but those of the outside world owe anything.
      if (units <= 0n) throw new Error(`Account ${accountId} has ${formatAmount(units)} ${asset}.`);
    }
    const leaf = {
      accountId: Number(accountId),
      part,
      balances: partOfBalance(this.order.secret, Number(accountId), whole, part),
    };
    if (isPool) this.inPools = addSums(this.inPools, leaf.balances);
    return leaf;
  }
}

/** Since the request, commits may have come that are in the cut. */
async function presentOf(
  client: ClientBase,
  requestedAt: string,
): Promise<{ sequence: number; asOf: string }> {
  const sequence = await cursorOf(client);
  const { rows } = await client.query<{ as_of: Date }>(
    `SELECT greatest($1::timestamptz,
       (SELECT committed_at FROM journal_commits WHERE last_sequence = $2)) AS as_of`,
    [requestedAt, sequence],
  );
  return { sequence, asOf: rows[0]!.as_of.toISOString() };
}

/** For the progress alone: of the present, also where the cut is of the past. */
async function countAccounts(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ count: string }>(
    'SELECT count(DISTINCT account_id) FROM balances WHERE available + held > 0',
  );
  return Number(rows[0]!.count);
}

async function insertCut(client: ClientBase, cutId: string, report: LiabilityReport): Promise<void> {
  await client.query(
    `INSERT INTO liability_cuts (cut_id, as_of, sequence, root_hash, totals, assets_shown, key_id, signature)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      cutId,
      report.as_of,
      report.sequence,
      report.root_hash,
      JSON.stringify(report.totals),
      JSON.stringify(report.assets_shown),
      report.key_id,
      report.signature,
    ],
  );
}
