import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Pool } from 'pg';
import { formatAmount } from '../../../domain/money/amount.js';
import type { ChainConnector } from '../../wallets/chains/chain-connector.js';
import { ChainConnectors } from '../../wallets/chains/chain-connectors.js';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import { ChainCheck, type ChainCheckResult } from '../../wallets/chain/chain-check.js';
import type { AssetShown, LiabilityTotal } from './liability-report.js';

/** For a chain whose node does not answer. */
const ASKED_MS_MAX = 20_000;

/** What there is on the other side: what the chains say, and when banks have last reported. */
@Injectable()
export class ShownAssets {
  private readonly logger = new Logger('Liabilities');

  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    private readonly connectors: ChainConnectors,
    private readonly chains: ChainCheck,
  ) {}

  /** In order of the assets; each that is owed is among them, if only to say that nobody shows it. */
  async of(totals: readonly LiabilityTotal[]): Promise<AssetShown[]> {
    const shown = [
      ...(await Promise.all(this.connectors.all().map((connector) => this.onChain(connector)))).flat(),
      ...(await this.atBanks()),
    ];
    const known = new Set(shown.map(({ asset }) => asset));
    const unknown = totals.filter(({ asset }) => !known.has(asset)).map(({ asset }) => nobodyShows(asset));
    return [...shown, ...unknown].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }

  private async onChain(connector: ChainConnector): Promise<AssetShown[]> {
    const result = await this.ask(connector);
    const observedAt = new Date().toISOString();
    return connector.assets.map(({ code }): AssetShown => {
      const asset = result?.assets.find((one) => one.asset === code);
      if (result == null || asset === undefined)
        return { ...nobodyShows(code), source: 'chain', name: connector.chain };
      return {
        asset: code,
        source: 'chain',
        name: connector.chain,
        amount: formatAmount(asset.hot + asset.onAddresses),
        block: result.block,
        observed_at: observedAt,
        reconciled: asset.difference === 0n,
      };
    });
  }

  /** Null where the node does not answer, and before the first contact with it. */
  private async ask(connector: ChainConnector): Promise<ChainCheckResult | null> {
    const asked = new AbortController();
    try {
      return await Promise.race([
        this.chains.check(connector),
        delay(ASKED_MS_MAX, null, { signal: asked.signal, ref: false }),
      ]);
    } catch (error) {
      this.logger.warn({ err: error, chain: connector.chain, msg: 'a cut tells nothing of a chain' });
      return null;
    } finally {
      asked.abort();
    }
  }

  /** Reports of banks say which payouts were made, and nothing of what is in an account: no amount, never reconciled. */
  private async atBanks(): Promise<AssetShown[]> {
    const { rows } = await this.pool.query<{ rail: string; currency: string; uploaded_at: Date }>(
      `SELECT DISTINCT ON (r.rail, f.currency) r.rail, f.currency, r.uploaded_at
       FROM payout_reports r JOIN (SELECT DISTINCT rail, currency FROM payout_files) f ON f.rail = r.rail
       ORDER BY r.rail, f.currency, r.uploaded_at DESC`,
    );
    return rows.map(({ rail, currency, uploaded_at }) => ({
      ...nobodyShows(currency),
      source: 'bank',
      name: rail,
      observed_at: uploaded_at.toISOString(),
    }));
  }
}

function nobodyShows(asset: string): AssetShown {
  return {
    asset,
    source: 'none',
    name: null,
    amount: null,
    block: null,
    observed_at: null,
    reconciled: false,
  };
}

function keyOf({ asset, name }: AssetShown): string {
  return `${asset} ${name ?? ''}`;
}
