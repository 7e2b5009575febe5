import { Injectable } from '@nestjs/common';
import { CoreService } from '../../core/core.service.js';
import type { Allowance } from '../../domain/engine/commands.js';
import type { MarketDefinition } from '../../domain/engine/types.js';
import { formatAmount } from '../../domain/money/amount.js';
import { type LimitFigure, LimitFigures } from './limit-figures.js';
import { periodAt, type PeriodSpan } from './periods.js';
import type { LimitInForce, Standing } from './standings.js';

/** An allowance for the engine, and what to tell who goes beyond it. */
export interface Granted {
  readonly allowance: Allowance;
  /** Null where there is no bound. */
  readonly words: string | null;
}

/** A limit with its figures in the running period. */
export interface MeasuredLimit {
  readonly limit: LimitInForce;
  readonly span: PeriodSpan;
  readonly figure: LimitFigure;
  /** Never below zero. */
  readonly remaining: bigint;
}

interface Bound {
  readonly max: bigint;
  readonly words: string;
}

/** How much limits leave for the next order or deposit. */
@Injectable()
export class Allowances {
  constructor(
    private readonly core: CoreService,
    private readonly figures: LimitFigures,
  ) {}

  /**
   * For orders in a market. All limits on its quote asset count in event markets; on spot markets a loss limit that is used
   * up counts, since only there a purchase can be without any loss.
   */
  async forOrders(standing: Standing, market: MarketDefinition): Promise<Granted> {
    if (standing.excludedUntil !== null) return excluded(standing, standing.excludedUntil);
    const isEvent = market.kind === 'event';
    const limits = standing.limits.filter(
      ({ asset, kind }) => asset === market.quoteAsset && (isEvent || kind === 'loss'),
    );
    const measured = await this.measure(standing, limits);
    return granted(
      standing,
      measured.flatMap((each) => orderBound(each, isEvent) ?? []),
    );
  }

  /** For money that comes in. */
  async forDeposits(standing: Standing, asset: string): Promise<Granted> {
    const limits = standing.limits.filter((limit) => limit.kind === 'deposit' && limit.asset === asset);
    const measured = await this.measure(standing, limits);
    return granted(
      standing,
      measured.map((each) => ({ max: each.remaining, words: wordsOf(each) })),
    );
  }

  /** Reads the tables only where there is a limit. */
  async measure(
    { nowMs, tradingAccountIds }: Standing,
    limits: readonly LimitInForce[],
  ): Promise<MeasuredLimit[]> {
    if (limits.length === 0) return [];
    await this.core.projected();
    return Promise.all(
      limits.map(async (limit) => {
        const span = periodAt(limit.period, nowMs);
        const figure = await this.figures.of(tradingAccountIds, limit.kind, limit.asset, span.startMs);
        const left = limit.amount - figure.used - figure.atRisk;
        return { limit, span, figure, remaining: left > 0n ? left : 0n };
      }),
    );
  }
}

/** What a limit leaves for an order; null where it has no say. */
function orderBound(measured: MeasuredLimit, isEvent: boolean): Bound | null {
  const { limit, figure, remaining } = measured;
  const words = wordsOf(measured);
  if (limit.kind === 'deposit') return figure.used > limit.amount ? { max: 0n, words } : null;
  if (isEvent) return { max: remaining, words };
  return figure.used >= limit.amount ? { max: 0n, words } : null;
}

/** A limit counts what all accounts of an owner do. */
function granted({ asOf, accountId, tradingAccountIds }: Standing, bounds: readonly Bound[]): Granted {
  const [first, ...others] = bounds;
  if (first === undefined) return { allowance: { asOf: asOf!, max: null }, words: null };
  const tightest = others.reduce((least, bound) => (bound.max < least.max ? bound : least), first);
  const sharedWith = tradingAccountIds.filter((other) => other !== accountId);
  return {
    allowance: {
      asOf: asOf!,
      max: formatAmount(tightest.max),
      ...(sharedWith.length > 0 && { sharedWith }),
    },
    words: tightest.words,
  };
}

function excluded({ asOf }: Standing, until: Date): Granted {
  return { allowance: { asOf: asOf!, max: '0', isExcluded: true }, words: exclusionWords(until) };
}

export function exclusionWords(until: Date): string {
  return `Trading is excluded by the user's own wish until ${until.toISOString()}. Cancels, closing orders and withdrawals work.`;
}

function wordsOf({ limit, span, figure, remaining }: MeasuredLimit): string {
  const { kind, amount, asset, period } = limit;
  return (
    `The ${kind} limit of ${formatAmount(amount)} ${asset} a ${period} has ${formatAmount(figure.used)} used and ` +
    `leaves ${formatAmount(remaining)} until ${new Date(span.endMs).toISOString()}.`
  );
}
