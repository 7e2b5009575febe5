import { Logger } from '@nestjs/common';
import { BackgroundLoop, type BackgroundLoopOptions, type BackgroundRun } from '../jobs/background-loop.js';
import type { ConsumerRecords } from './consumer-records.js';
import type { DurableConsumer } from './durable-consumer.js';

const LOOK_EVERY_MS = 1_000;
const GATHER_MS = 20;
const FIRST_PAUSE_MS = 1_000;
const PAUSE_MS_MAX = 60_000;

/** A consumer with the name that it has among all plugins. */
export interface NamedConsumer<Consumer extends DurableConsumer = DurableConsumer> {
  readonly plugin: string;
  /** `plugin:name`. */
  readonly fullName: string;
  readonly consumer: Consumer;
}

/** So many steps after a failure take up one thing each, so that what is good before what is bad is taken up. */
const CAREFUL_STEPS = 500;

export interface ConsumerStep {
  /** The least that it can take up. */
  readonly isCareful: boolean;
  readonly signal: AbortSignal;
}

/** Steps a consumer again and again, with growing pauses while it fails. */
export class ConsumerLoop extends BackgroundLoop {
  private readonly log = new Logger('Consumers');
  private failures = 0;
  private carefulSteps = 0;
  /** Whether no record of a failure is left, as far as this process knows. */
  private isRecordClean = false;
  private retryAtMs = -Infinity;

  /** `step` does a bounded piece of work, and answers whether more is left. */
  constructor(
    private readonly named: NamedConsumer,
    private readonly records: ConsumerRecords,
    private readonly step: (step: ConsumerStep) => Promise<boolean>,
    options: Pick<BackgroundLoopOptions, 'leads'> = {},
  ) {
    const name = `Consumer ${named.fullName}`;
    super({ name, everyMs: LOOK_EVERY_MS, gatherMs: GATHER_MS, ...options }, (run) => this.run(run));
  }

  override begin(): Promise<void> {
    this.failures = 0;
    this.isRecordClean = false;
    this.retryAtMs = -Infinity;
    return super.begin();
  }

  private async run({ signal }: BackgroundRun): Promise<boolean> {
    if (performance.now() < this.retryAtMs) return false;
    let isMoreLeft: boolean;
    try {
      isMoreLeft = await this.step({ isCareful: this.carefulSteps > 0, signal });
    } catch (error) {
      if (!signal.aborted) await this.fail(error);
      return false;
    }
    this.carefulSteps = Math.max(0, this.carefulSteps - 1);
    if (!this.isRecordClean) await this.records.succeeded(this.named.fullName);
    this.isRecordClean = true;
    this.failures = 0;
    return isMoreLeft;
  }

  private async fail(error: unknown): Promise<void> {
    const { plugin, consumer, fullName } = this.named;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.failures, PAUSE_MS_MAX);
    this.failures++;
    this.carefulSteps = CAREFUL_STEPS;
    this.isRecordClean = false;
    this.retryAtMs = performance.now() + pauseMs;
    this.log.error({
      err: error,
      plugin,
      consumer: consumer.name,
      attempts: this.failures,
      pauseMs,
      msg: 'a consumer has failed and is tried again',
    });
    await this.records.failed(fullName, this.failures, error);
  }
}
