import { setTimeout as delay } from 'node:timers/promises';
import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import type { PoolClient } from 'pg';
import { invariant } from '../../domain/invariant.js';
import { hexOf } from '../../domain/proof/bytes.js';
import { headBytes, type SignedJournalHead } from '../../domain/proof/journal-head.js';
import { CoalescedWork } from '../../kit/coalesced-work.js';
import { CONFIG, type Config } from '../../kit/config/config.js';
import { BackgroundLoop, type BackgroundRun } from '../../kit/jobs/background-loop.js';
import { MetricsRegistry } from '../../kit/metrics/metrics-registry.js';
import { NOBODY } from '../view/commit-listeners.js';
import { SingleWriter } from '../requests/single-writer.js';
import { JournalFollower } from '../reads/journal-follower.js';
import type { EntryEffects } from '../journal/journal-reader.js';
import { HeadFiles } from './head-files.js';
import { insertHead, JournalHeads, TREE_FOLLOWER } from './journal-heads.js';
import { JournalKeys, type HeadSigner } from './journal-keys.js';
import { appendLeaves, loadEnd, type JournalSecrets } from './journal-tree.js';

/** A head is signed this long after the first commit that it covers, or a little later. */
const GATHER_MS = 300;
const EVERY_MS = 30_000;
/** A service that is started again, or takes over the lead, has more urgent work. */
const FIRST_AFTER_MS = 3_000;
/** Work follows what rows hold, one order or a thousand: a step ends with the row that reaches so far in the sequence. */
const SEQUENCES_PER_STEP = 8_000;
const ROWS_PER_STEP = 500;
/** While it works off what is from before the term, it rests after a step as long as that took: orders have the other half. */
const REST_PER_STEP = 1;

/**
 * Adds each row of the journal to the tree, a moment after its commit and off the order path, and signs where it stands.
 * It follows the journal with a cursor of its own in the same transaction, so each row has one leaf, whatever dies.
 */
@Injectable()
export class JournalNotary implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(JournalNotary.name);
  private readonly steps = new CoalescedWork(() => this.step());
  private readonly loop = new BackgroundLoop(
    { name: 'JournalNotary', everyMs: EVERY_MS, gatherMs: GATHER_MS, leads: () => this.core.leads },
    (run) => this.work(run),
  );
  private readonly files: HeadFiles;
  /** The last sequence that is in the tree, as far as this process knows. */
  private sequence = 0;
  private unsubscribe: () => void = () => undefined;

  constructor(
    private readonly core: SingleWriter,
    private readonly follower: JournalFollower,
    private readonly keys: JournalKeys,
    private readonly heads: JournalHeads,
    metrics: MetricsRegistry,
    @Inject(CONFIG) { dataDir }: Config,
  ) {
    this.files = new HeadFiles(dataDir);
    metrics.gauge({
      name: 'journal_unsigned_seconds',
      help: 'How long the oldest commit has waited for a signed head of the journal; 0 where none waits.',
      collect: async (gauge) => gauge.set(await heads.unsignedSeconds()),
    });
  }

  onModuleInit(): void {
    const { followers } = this.core;
    followers.add({ name: 'proof', lagMs: () => followers.ageAfter(this.sequence) });
    this.unsubscribe = this.core.onCommitted(() => this.loop.request(), NOBODY);
  }

  onApplicationBootstrap(): Promise<void> {
    return this.loop.begin();
  }

  async onModuleDestroy(): Promise<void> {
    this.unsubscribe();
    await this.loop.end();
    await this.steps.settled();
  }

  /** Signs what was committed before the call, unless it is more than some steps behind; for who waits for a head. */
  async catchUp(): Promise<void> {
    await this.steps.take();
  }

  private async work({ isFirst, signal }: BackgroundRun): Promise<boolean> {
    if (isFirst && (await this.heads.newest()) !== null) {
      await delay(FIRST_AFTER_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return true;
    }
    const beganMs = performance.now();
    const isMoreLeft = await this.steps.take();
    const restMs = REST_PER_STEP * (performance.now() - beganMs);
    // The writer rests for what this term has committed, so that this has its time.
    const isPast = !this.core.followers.isOfTerm(this.sequence);
    if (isMoreLeft && isPast) await delay(restMs, undefined, { signal }).catch(() => undefined);
    return isMoreLeft;
  }

  /** Answers whether more is left. */
  private async step(): Promise<boolean> {
    const signer = await this.keys.signer();
    const secrets = await this.keys.secrets();
    const { sequence } = this.core.followers;
    const heads: SignedJournalHead[] = [];
    const { isMoreLeft } = await this.follower.step(
      TREE_FOLLOWER,
      async (entries, client) => {
        heads.push(await notarize(client, entries, { signer, secrets }));
      },
      { from: 'what is kept', limit: ROWS_PER_STEP, sequencesMax: SEQUENCES_PER_STEP },
    );
    this.sequence = heads.at(-1)?.sequence ?? sequence;
    for (const head of heads) await this.writeFile(head);
    return isMoreLeft;
  }

  /** The table has the head, and the files have a later one soon. */
  private async writeFile(head: SignedJournalHead): Promise<void> {
    try {
      await this.files.write(head);
    } catch (error) {
      this.logger.warn({ err: error, msg: 'a head of the journal was not written to a file' });
    }
  }
}

async function notarize(
  client: PoolClient,
  entries: readonly EntryEffects[],
  { signer, secrets }: { readonly signer: HeadSigner; readonly secrets: JournalSecrets },
): Promise<SignedJournalHead> {
  const end = await loadEnd(client);
  const last = await appendLeaves(client, end, entries, secrets);
  const { height, last_sequence, chain_hash, state_hash, time } = last;
  invariant(
    height === end.size && last_sequence === entries.at(-1)!.lastSequence,
    'a head is signed for the whole tree',
    height,
    end.size,
  );
  const head = {
    height,
    tree_size: height,
    sequence: last_sequence,
    root_hash: hexOf(end.root),
    chain_hash,
    state_hash,
    public_state_hash: last.public.state_hash,
    time,
    key_id: signer.keyId,
  };
  const signed: SignedJournalHead = { ...head, signature: signer.sign(headBytes(head)) };
  await insertHead(client, signed);
  return signed;
}
